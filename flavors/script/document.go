package script

import (
	"reflect"

	"github.com/dop251/goja"
)

// document is one indexed JSON text and the VM that reads it. Views refer to it for
// as long as the guest holds them, beyond the message too.
type document struct {
	in    *instance
	text  []byte
	nodes []node
	depth int // nesting of the whole text
}

// value makes the JavaScript value of a node: a primitive, or a view.
func (d *document) value(at uint32) goja.Value {
	n := &d.nodes[at]
	switch n.kind {
	case kindNull:
		return goja.Null()
	case kindTrue:
		return d.in.vm.ToValue(true)
	case kindFalse:
		return d.in.vm.ToValue(false)
	case kindNumber:
		return d.in.numberOf(d.text[n.start:n.end])
	case kindString:
		return d.in.stringOf(d.text[n.start:n.end], n.escaped)
	case kindArray:
		v := &arrayView{doc: d, at: at}
		v.object = d.in.vm.NewDynamicArray(v)
		return v.object
	default:
		v := &objectView{doc: d, at: at}
		v.object = d.in.vm.NewDynamicObject(v)
		return v.object
	}
}

// name returns the member name in a key node.
func (d *document) name(key uint32) string {
	n := &d.nodes[key]
	return nameOf(d.text[n.start:n.end], n.escaped)
}

// is says whether a key node spells name.
func (d *document) is(key uint32, name string) bool {
	n := &d.nodes[key]
	if n.escaped {
		return d.name(key) == name
	}
	return string(d.text[n.start+1:n.end-1]) == name
}

// find returns the value node of the last member with that name, or 0.
func (d *document) find(object uint32, name string) uint32 {
	found := uint32(0)
	for key := object + 1; key < d.nodes[object].next; {
		value := key + 1
		if d.is(key, name) {
			found = value
		}
		key = d.nodes[value].next
	}
	return found
}

var (
	typeObjectView  = reflect.TypeFor[*objectView]()
	typeArrayView   = reflect.TypeFor[*arrayView]()
	typeMessageView = reflect.TypeFor[*messageView]()
	typeMetaView    = reflect.TypeFor[*metaView]()
)

// viewOf returns the view behind an object, or nil. It runs no guest code.
func viewOf(o *goja.Object) any {
	switch o.ExportType() {
	case typeObjectView, typeArrayView, typeMessageView, typeMetaView:
		return o.Export()
	default:
		return nil
	}
}
