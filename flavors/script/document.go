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
	nodes []node // nil once the message is over
	depth int    // nesting of the whole text
}

// index returns the nodes. A document that outlives its message makes them anew: those
// that it had are used again for the next one.
func (d *document) index() []node {
	if d.nodes == nil {
		d.in.spend(int64(len(d.text)) >> 6)
		x := indexer{limit: d.in.budget.Memory}
		nodes, err := x.index(d.text, d.in.budget.Depth)
		if err != nil {
			panic("script: a text that was JSON is none any more: " + err.Error())
		}
		d.nodes = nodes
	}
	return d.nodes
}

// open indexes a text for the message at hand.
func (in *instance) open(text []byte) *document {
	in.spend(int64(len(text)) >> 6)
	nodes, err := in.indexer.index(text, in.budget.Depth)
	if err != nil {
		in.stop(in.unreadable(err))
	}
	d := &document{in: in, text: text, nodes: nodes, depth: in.indexer.deepest}
	in.documents = append(in.documents, d)
	return d
}

// closeDocuments takes the nodes from the documents of the message that is over.
func (in *instance) closeDocuments() {
	for i, d := range in.documents {
		d.nodes, in.documents[i] = nil, nil
	}
	in.documents = in.documents[:0]
	in.indexer.rewind()
}

// value makes the JavaScript value of a node: a primitive, or a view.
func (d *document) value(at uint32) goja.Value {
	n := &d.index()[at]
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
	n := &d.index()[key]
	return nameOf(d.text[n.start:n.end], n.escaped)
}

// is says whether a key node spells name.
func (d *document) is(key uint32, name string) bool {
	n := &d.index()[key]
	if n.escaped {
		return d.name(key) == name
	}
	return string(d.text[n.start+1:n.end-1]) == name
}

// find returns the value node of the last member with that name, or 0.
func (d *document) find(object uint32, name string) uint32 {
	found, nodes := uint32(0), d.index()
	for key, end := object+1, nodes[object].next; key < end; key = nodes[key+1].next {
		if d.is(key, name) {
			found = key + 1
		}
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
