package script

import "github.com/dop251/goja"

// arrayView is a JSON array that behaves like a plain one (goja.DynamicArray), but
// that it has no holes: what would be one is undefined.
type arrayView struct {
	doc     *document
	at      uint32
	object  *goja.Object
	opened  bool         // elements are listed below
	changed bool         // elements were assigned, added or removed
	nodes   []uint32     // the node of each element, 0 once it was assigned
	values  []goja.Value // the touched and the assigned ones, else nil
}

// elementBytes is what one listed element takes.
const elementBytes = 20

// maxGrowth bounds how far one assignment may lengthen an array beyond its end.
const maxGrowth = 1 << 20

// Len returns the number of elements.
func (v *arrayView) Len() int {
	if v.opened {
		return len(v.nodes)
	}
	return int(v.doc.index()[v.at].count)
}

// Get returns an element, or nil beyond the ends. The same object comes back each time.
func (v *arrayView) Get(i int) goja.Value {
	if i < 0 || i >= v.Len() {
		return nil
	}
	v.open()
	if v.values[i] == nil {
		v.values[i] = v.doc.value(v.nodes[i])
	}
	return v.values[i]
}

// Set assigns an element; beyond the end it lengthens the array.
func (v *arrayView) Set(i int, value goja.Value) bool {
	if i < 0 {
		return false
	}
	v.open()
	if i >= len(v.nodes) && !v.SetLen(i+1) {
		return false
	}
	v.changed = true
	v.nodes[i], v.values[i] = 0, value
	return true
}

// SetLen cuts or lengthens the array.
func (v *arrayView) SetLen(n int) bool {
	v.open()
	v.changed = true
	if n <= len(v.nodes) {
		clear(v.values[n:])
		v.nodes, v.values = v.nodes[:n], v.values[:n]
		return true
	}
	grow := n - len(v.nodes)
	if grow > maxGrowth {
		v.doc.in.stop(tooLong(int64(n), int64(len(v.nodes)+maxGrowth)))
	}
	v.doc.in.spend(int64(grow) >> 2) // also where there is room from before
	if n > cap(v.nodes) {
		v.doc.in.allocate(int64(n) * elementBytes)
	}
	v.nodes = append(v.nodes, make([]uint32, grow)...)
	for range grow {
		v.values = append(v.values, goja.Undefined())
	}
	return true
}

// open lists the elements' nodes so that they can be reached by index.
func (v *arrayView) open() {
	if v.opened {
		return
	}
	nodes := v.doc.index()
	n := &nodes[v.at]
	v.doc.in.allocate(int64(n.count) * elementBytes)
	v.opened = true
	v.nodes = make([]uint32, 0, n.count)
	v.values = make([]goja.Value, n.count)
	for at := v.at + 1; at < n.next; at = nodes[at].next {
		v.nodes = append(v.nodes, at)
	}
}
