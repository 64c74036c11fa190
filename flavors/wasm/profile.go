package wasm

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/leat-run/leat/flavors/wasm/meter"
	"github.com/leat-run/leat/runtime"
)

// Profile compiles as Compile does, into a module whose messages tell which of the guest's
// functions their fuel went to (runtime.Profiler). The engine calls a tracer at each call
// and return, where the counter is exact; it costs about a microsecond each.
func (f *Flavor) Profile(ctx context.Context, code runtime.Code, settings runtime.Settings, into *runtime.FuelProfile) (runtime.Module, error) {
	return f.compile(ctx, code, settings, into)
}

// tracer follows the calls of one instance and adds up their fuel, by the path that led
// to each.
type tracer struct {
	module  *module
	root    node
	stack   []*node
	nodes   int
	last    int64 // fuel that is attributed
	running bool  // a message is at work; a start is not traced
}

// node is a function as it was reached by one path of calls.
type node struct {
	function uint32
	parent   *node
	children map[uint32]*node
	fuel     int64
}

// Bounds of a tracer. What goes beyond is added to the node that was reached.
const (
	maxNodes      = runtime.MaxProfileStacks
	maxPathFrames = 128
)

// begin starts a message.
func (t *tracer) begin() {
	t.root, t.stack, t.nodes, t.last, t.running = node{}, append(t.stack[:0], &t.root), 0, 0, true
}

func (t *tracer) top() *node { return t.stack[len(t.stack)-1] }

// attribute adds what was used since the last event to the function at hand.
func (t *tracer) attribute(used int64) {
	t.top().fuel += used - t.last
	t.last = used
}

// enter is at a call.
func (t *tracer) enter(function uint32, used int64) {
	t.attribute(used)
	top := t.top()
	next, found := top.children[function]
	switch {
	case found:
	case t.nodes >= maxNodes || len(t.stack) > maxPathFrames:
		next = top
	default:
		t.nodes++
		next = &node{function: function, parent: top}
		if top.children == nil {
			top.children = map[uint32]*node{}
		}
		top.children[function] = next
	}
	t.stack = append(t.stack, next)
}

// exit is at a return, or where a trap passes a frame.
func (t *tracer) exit(used int64) {
	t.attribute(used)
	if len(t.stack) > 1 {
		t.stack = t.stack[:len(t.stack)-1]
	}
}

// end adds a message's fuel to the profile, in an order that does not matter there.
func (t *tracer) end(used int64) {
	t.running = false
	t.attribute(used)
	t.add(&t.root, nil)
}

// add walks the tree. path is the stack of n's caller, innermost last.
func (t *tracer) add(n *node, path []*node) {
	if n != &t.root {
		path = append(path, n)
	}
	if n.fuel != 0 {
		t.module.profile.Add(t.module.frames(path), n.fuel)
	}
	for _, child := range n.children {
		t.add(child, path)
	}
}

// frames names a path, innermost first. The meter's own functions are left out, and so is
// the first of two frames between which a function was entered again to be refilled.
func (m *module) frames(path []*node) []runtime.Frame {
	out := make([]runtime.Frame, 0, len(path))
	for k := len(path) - 1; k >= 0; k-- {
		if path[k].function < m.appended {
			out = append(out, runtime.Frame{Function: m.functionName(path[k].function)})
		} else if k < len(path)-1 {
			k--
		}
	}
	return out
}

// functionName is what the name section calls a function, else what it is exported as, else
// its number in the module as it was built.
func (m *module) functionName(function uint32) string {
	if name := m.names[function]; name != "" {
		return name
	}
	return fmt.Sprintf("function %d", function-meter.AddedImports)
}

// NewFunctionListener makes a module the factory of its own listeners.
func (m *module) NewFunctionListener(d api.FunctionDefinition) experimental.FunctionListener {
	name := d.Name()
	if exports := d.ExportNames(); name == "" && len(exports) > 0 {
		name = exports[0]
	}
	m.names[d.Index()] = name
	return listener{}
}

// listener hands the engine's events to the tracer of the instance at work.
type listener struct{}

func (listener) Before(ctx context.Context, _ api.Module, d api.FunctionDefinition, _ []uint64, _ experimental.StackIterator) {
	if t, used := traced(ctx); t != nil {
		t.enter(d.Index(), used)
	}
}

func (listener) After(ctx context.Context, _ api.Module, _ api.FunctionDefinition, _ []uint64) {
	if t, used := traced(ctx); t != nil {
		t.exit(used)
	}
}

func (listener) Abort(ctx context.Context, _ api.Module, _ api.FunctionDefinition, _ error) {
	if t, used := traced(ctx); t != nil {
		t.exit(used)
	}
}

func traced(ctx context.Context) (*tracer, int64) {
	i, ok := ctx.Value(instanceKey{}).(*instance)
	if !ok || i.tracer == nil || !i.tracer.running {
		return nil, 0
	}
	return i.tracer, i.gauge.used()
}
