package meter

import "math"

const (
	// treeBound is the most fuel that a call tree without loops may use unchecked.
	treeBound = 100
	unbounded = math.MaxInt32
)

// graph is what the call graph says about each defined function (index without the
// imported ones).
type graph struct {
	facts  []facts
	order  []int   // callees before their callers; each cycle in one run
	cycle  []bool  // the function can reach itself by direct calls
	tree   []int64 // most fuel of a call, unbounded if it may loop, recur or leave the module
	height []int   // most frames below it, unbounded likewise, loops allowed
}

func newGraph(all []facts) *graph {
	g := &graph{
		facts: all, cycle: make([]bool, len(all)),
		tree: make([]int64, len(all)), height: make([]int, len(all)),
	}
	g.sort()
	for _, f := range g.order {
		g.measure(f)
	}
	return g
}

// free reports whether f needs no entry check of its own: all that a call of it can do
// is small and bounded, and charged to the stretch of its caller.
func (g *graph) free(f int) bool { return g.tree[f] <= treeBound }

// checked reports whether f's entry checks. It may be left out for free functions, and
// where a loop that checks follows at once and the depth below is bounded.
func (g *graph) checked(f int) bool {
	return !g.free(f) && (!g.facts[f].loopsAtOnce || g.height[f] > maxUnchecked)
}

// measure sets tree and height of f from those of its callees, which come first.
func (g *graph) measure(f int) {
	facts := &g.facts[f]
	g.tree[f], g.height[f] = facts.cost, 0
	if g.cycle[f] || facts.leaves {
		g.tree[f], g.height[f] = unbounded, unbounded
		return
	}
	for _, callee := range facts.calls {
		g.tree[f] = min(g.tree[f]+g.tree[callee], unbounded)
		g.height[f] = max(g.height[f], min(g.height[callee]+1, unbounded))
	}
	if facts.loops || facts.bulk {
		g.tree[f] = unbounded
	}
}

// sort finds the cycles of the call graph and an order in which callees come first
// (Tarjan's components). It keeps its own stack: a guest chooses how deep calls nest.
func (g *graph) sort() {
	t := tarjan{graph: g, number: make([]int, len(g.facts)), low: make([]int, len(g.facts))}
	for f := range g.facts {
		if t.number[f] == 0 {
			t.visit(f)
		}
	}
}

type tarjan struct {
	*graph
	number, low []int // 0: not seen; low is negative once the component is complete
	seen        int
	open        []int // functions whose component is not complete
	path        []step
}

// step is a function on the current path and how many of its calls were followed.
type step struct{ f, next int }

func (t *tarjan) visit(f int) {
	t.enter(f)
	for len(t.path) > 0 {
		top := &t.path[len(t.path)-1]
		calls := t.facts[top.f].calls
		if top.next == len(calls) {
			t.leave()
			continue
		}
		callee := int(calls[top.next])
		top.next++
		switch {
		case t.number[callee] == 0:
			t.enter(callee)
		case t.low[callee] >= 0: // still open
			t.low[top.f] = min(t.low[top.f], t.number[callee])
		}
		if callee == top.f {
			t.cycle[callee] = true
		}
	}
}

func (t *tarjan) enter(f int) {
	t.seen++
	t.number[f], t.low[f] = t.seen, t.seen
	t.open = append(t.open, f)
	t.path = append(t.path, step{f: f})
}

func (t *tarjan) leave() {
	f := t.path[len(t.path)-1].f
	t.path = t.path[:len(t.path)-1]
	if len(t.path) > 0 {
		caller := t.path[len(t.path)-1].f
		t.low[caller] = min(t.low[caller], t.low[f])
	}
	if t.low[f] != t.number[f] {
		return
	}
	from := len(t.open) - 1
	for t.open[from] != f {
		from--
	}
	for _, member := range t.open[from:] {
		t.low[member] = -1
		t.cycle[member] = t.cycle[member] || len(t.open)-from > 1
		t.order = append(t.order, member)
	}
	t.open = t.open[:from]
}
