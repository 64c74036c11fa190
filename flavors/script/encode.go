package script

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// encoder writes one payload. Views that the guest left alone are spliced from their
// text; the rest follows the table of README.md, "What a value becomes". It runs
// inside the guarded region, since a getter or a toJSON is guest code.
type encoder struct {
	in    *instance
	buf   []byte
	path  []step
	stack []*goja.Object

	// Of JSON.stringify alone.
	lenient bool
	replace goja.Callable
	allowed []string // the names that are written; nil for all
	indent  string
}

// step is one part of a path in a payload: a name, or an index where name is "".
type step struct {
	name  string
	index int
}

// payload returns the JSON text of value as fresh memory.
func (e *encoder) payload(value goja.Value) []byte {
	e.buf, e.path, e.stack = e.buf[:0], e.path[:0], e.stack[:0]
	e.value(value)
	return slices.Clone(e.buf)
}

var (
	typeInt     = reflect.TypeFor[int64]()
	typeFloat   = reflect.TypeFor[float64]()
	typeBool    = reflect.TypeFor[bool]()
	typePromise = reflect.TypeFor[*goja.Promise]()
)

// value writes one value. REQUIRES: in an object, undefined was left out before.
func (e *encoder) value(value goja.Value) {
	switch v := value.(type) {
	case nil:
		e.word("null")
	case *goja.Object:
		e.object(v)
	case goja.String:
		e.room(v.Length())
		e.buf = appendString(e.buf, v)
	case *goja.Symbol:
		e.fail("a symbol", "a payload is JSON: write a string")
	default:
		e.primitive(value)
	}
	e.room(0)
}

func (e *encoder) primitive(v goja.Value) {
	switch {
	case goja.IsNull(v), goja.IsUndefined(v): // an undefined element is null, as in JSON.stringify
		e.word("null")
	case goja.IsBigInt(v):
		e.fail("a BigInt", "write Number(x) or String(x)")
	case v.ExportType() == typeBool:
		e.word(v.String())
	case v.ExportType() == typeInt:
		if n := v.ToInteger(); n >= 1<<53 || n <= -1<<53 {
			e.float(v)
		} else {
			e.buf = strconv.AppendInt(e.buf, n, 10)
		}
	default:
		e.float(v)
	}
}

func (e *encoder) float(v goja.Value) {
	if e.lenient {
		e.lenientNumber(v)
		return
	}
	f := v.ToFloat()
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		e.fail(v.String(), "JSON has no such number: write null or leave the field out")
	case f == 0 && math.Signbit(f):
		e.word("-0")
	case math.Abs(f) >= 1<<53 && e.unsafe(f):
	default:
		e.word(v.String())
	}
}

// unsafe writes a double that was read from an integer which no double holds, as the
// node's integers setting says. It reports false for any other double.
func (e *encoder) unsafe(f float64) bool {
	literal, fault := e.in.rounded(f)
	switch {
	case fault != "":
		e.fail(fault, "move the object that contains it, which keeps it exact, or set integers: string on the node")
	case literal != "":
		e.buf = append(append(append(e.buf, '"'), literal...), '"')
	}
	return literal != ""
}

// rounded says what becomes of a double that was read from an integer which no double holds:
// its digits, or why it cannot be written, as the node's integers setting says. Both are ""
// for any other double.
func (in *instance) rounded(f float64) (digits, fault string) {
	literal, read := in.unsafe[f]
	if !read || in.module.settings.Integers == "lossy" {
		return "", ""
	}
	if in.module.settings.Integers == "string" && literal != "" {
		return literal, ""
	}
	return "", "an integer that JavaScript rounded (" + literal + " was read as " + strconv.FormatFloat(f, 'f', -1, 64) + ")"
}

func (e *encoder) word(w string) { e.buf = append(e.buf, w...) }

// raw splices a part of an input's text.
func (e *encoder) raw(d *document, from, to uint32) {
	e.room(int(to - from))
	if room := e.in.budget.Depth - len(e.path); room < d.depth && textDepth(d.text[from:to]) > room {
		e.tooDeep()
	}
	e.buf = append(e.buf, d.text[from:to]...)
}

// room ends the guest when more bytes would pass the output budget.
func (e *encoder) room(more int) {
	if e.lenient {
		if n := int64(len(e.buf) + more); n > e.in.maxString() {
			e.in.stop(tooLong(n, e.in.maxString()))
		}
		e.in.spend(1 + int64(more)>>6)
		return
	}
	if total := e.in.written + int64(len(e.buf)+more); total > e.in.budget.Output {
		panic(&limit{
			kind: "output", message: "the outputs are larger than budget.output",
			hint: "emit less per message, or raise budget.output", measured: total, limit: e.in.budget.Output,
		})
	}
	e.in.spend(1 + int64(more)>>6)
}

func (e *encoder) object(o *goja.Object) {
	if len(e.path) >= e.in.budget.Depth || len(e.stack) >= 2*e.in.budget.Depth { // a toJSON takes no step of the path
		e.checkCycle(o)
		e.tooDeep()
	}
	e.stack = append(e.stack, o)
	if e.lenient && e.lenientView(o) {
		e.stack = e.stack[:len(e.stack)-1]
		return
	}
	switch v := viewOf(o).(type) {
	case *objectView:
		e.objectView(v)
	case *arrayView:
		e.arrayView(v)
	case *messageView:
		e.fail("a message inside a payload", "put msg.payload there")
	case *metaView:
		e.members(o)
	default:
		e.native(o)
	}
	e.stack = e.stack[:len(e.stack)-1]
}

func (e *encoder) objectView(v *objectView) {
	n := &v.doc.index()[v.at]
	if !v.owned {
		e.splice(v.doc, n.start, n.end, v.dirty())
		return
	}
	e.buf = append(e.buf, '{')
	first := true
	for i := range v.members {
		m := &v.members[i]
		if m.deleted || m.value != nil && !e.writable(m.value) {
			e.in.spend(1)
			continue
		}
		e.comma(&first)
		if m.key != 0 {
			k := &v.doc.index()[m.key]
			e.raw(v.doc, k.start, k.end)
		} else {
			e.buf = appendQuoted(e.buf, m.name)
		}
		e.buf = append(e.buf, ':')
		e.path = append(e.path, step{name: m.name})
		e.child(v.doc, m.at, m.value)
		e.path = e.path[:len(e.path)-1]
	}
	e.buf = append(e.buf, '}')
}

func (e *encoder) arrayView(v *arrayView) {
	n := &v.doc.index()[v.at]
	if !v.changed {
		e.splice(v.doc, n.start, n.end, v.dirty())
		return
	}
	e.buf = append(e.buf, '[')
	first := true
	for i := range v.nodes {
		e.comma(&first)
		e.path = append(e.path, step{index: i})
		e.child(v.doc, v.nodes[i], v.values[i])
		e.path = e.path[:len(e.path)-1]
	}
	e.buf = append(e.buf, ']')
}

func (e *encoder) comma(first *bool) {
	if !*first {
		e.buf = append(e.buf, ',')
	}
	*first = false
}

// child writes an element: from the text when it has a node and was not changed.
func (e *encoder) child(d *document, at uint32, value goja.Value) {
	if at != 0 {
		if o, isObject := value.(*goja.Object); !isObject || clean(o) {
			e.raw(d, d.index()[at].start, d.index()[at].end)
			return
		}
	}
	e.value(value)
}

// touchedChild is a changed value below a container that is itself as it was.
type touchedChild struct {
	at     uint32
	object *goja.Object
	step   step
}

// splice writes a container's text with the changed values below it put in place.
func (e *encoder) splice(d *document, from, to uint32, changed []touchedChild) {
	if len(changed) == 0 {
		e.raw(d, from, to)
		return
	}
	room, depth := e.in.budget.Depth-len(e.path), 0
	piece := func(from, to uint32) {
		e.room(int(to - from))
		if room < d.depth {
			deepest := 0
			if depth, deepest = nesting(d.text[from:to], depth); deepest > room {
				e.tooDeep()
			}
		}
		e.buf = append(e.buf, d.text[from:to]...)
	}
	slices.SortFunc(changed, func(a, b touchedChild) int { return int(a.at) - int(b.at) })
	for _, c := range changed {
		n := &d.index()[c.at]
		piece(from, n.start)
		e.path = append(e.path, c.step)
		e.object(c.object)
		e.path = e.path[:len(e.path)-1]
		from = n.end
	}
	piece(from, to)
}

// dirty lists the changed objects directly below a container that is not changed.
func (v *objectView) dirty() (changed []touchedChild) {
	for i := range v.members {
		m := &v.members[i]
		if o, ok := m.value.(*goja.Object); ok && !clean(o) {
			changed = append(changed, touchedChild{m.at, o, step{name: m.name}})
		}
	}
	return changed
}

func (v *arrayView) dirty() (changed []touchedChild) {
	for i, value := range v.values {
		if o, ok := value.(*goja.Object); ok && !clean(o) {
			changed = append(changed, touchedChild{v.nodes[i], o, step{index: i}})
		}
	}
	return changed
}

// clean says whether o is a view whose text still says all about it.
func clean(o *goja.Object) bool {
	switch v := viewOf(o).(type) {
	case *objectView:
		return !v.owned && len(v.dirty()) == 0
	case *arrayView:
		return !v.changed && len(v.dirty()) == 0
	default:
		return false
	}
}

// writable says whether a property's value is written at all: undefined is left out.
// JSON.stringify leaves functions and symbols out too.
func (e *encoder) writable(v goja.Value) bool {
	if e.lenient {
		if _, isSymbol := v.(*goja.Symbol); isSymbol {
			return false
		}
		if o, ok := v.(*goja.Object); ok {
			_, callable := goja.AssertFunction(o)
			return !callable
		}
	}
	return v != nil && !goja.IsUndefined(v)
}

// fail ends the conversion: what stands at the current path cannot be written.
func (e *encoder) fail(what, hint string) {
	panic(badOutput(what+" at "+e.at(), hint))
}

func (e *encoder) tooDeep() {
	l := badOutput("the payload nests deeper than budget.depth at "+e.at(), "flatten it, or raise budget.depth")
	l.measured, l.limit = int64(e.in.budget.Depth+1), int64(e.in.budget.Depth)
	panic(l)
}

// checkCycle tells a cycle from mere depth: o or one of its holders comes twice.
func (e *encoder) checkCycle(o *goja.Object) {
	for i, holder := range e.stack {
		if !slices.Contains(e.stack[i+1:], holder) && holder != o {
			continue
		}
		again := i + 1 + slices.Index(append(slices.Clone(e.stack[i+1:]), o), holder)
		e.path = e.path[:min(again, len(e.path))]
		e.fail("a cycle", "a payload is a tree: leave the reference out")
	}
}

// at renders the current path: a.b[2]["odd name"].
func (e *encoder) at() string {
	var b strings.Builder
	for i, s := range e.path {
		switch {
		case i > 16:
			b.WriteString("…")
			return b.String()
		case s.name == "":
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case !isIdentifier(s.name):
			b.WriteString("[" + strconv.Quote(s.name) + "]")
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.name)
		}
	}
	if b.Len() == 0 {
		return "the payload's root"
	}
	return b.String()
}

func isIdentifier(name string) bool {
	for i, r := range name {
		letter := r == '_' || r == '$' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return len(name) < 64
}
