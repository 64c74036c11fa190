package engine

import (
	"sync/atomic"

	"github.com/leat-run/leat/engine/pipeline"
)

// node is a transform or a sink: an inbox and what was counted at it in this process.
type node struct {
	name  string
	inbox *inbox
	// inject is the edge by which replayed and injected messages enter: it has the policy
	// of the node's first edge, but is always required.
	inject *edge
	out    router // empty for a sink
	counts counts
}

// counts are a node's numbers since this process started. They are for rates and
// status; what became of messages is counted by the tracker.
type counts struct {
	in, out, failed, retries, dropped atomic.Int64
	recycledFailure, recycledMemory   atomic.Int64 // instances, by reason
	// calls is odd while a call into a guest or a sink runs (see advisory.go).
	calls []atomic.Uint64
}

// edge leads into a node, with its policy.
type edge struct {
	*pipeline.Edge
	target *node
	lane   *lane
	// unmatched counts predicates that could not be evaluated: such a message does not match.
	unmatched atomic.Int64
	warned    atomic.Int64 // when that was last logged, Unix seconds
	passed    atomic.Int64 // deliveries that were put on their way
}

// router holds the edges that leave a source or a transform, in the plan's order.
type router struct {
	edges       []*edge
	conditional bool // some edge has a predicate
}

// topology is the plan's graph with its queues.
type topology struct {
	nodes   map[string]*node
	order   []*node // transforms in topological order, then sinks
	sources map[string]*router
	edges   []*edge // without those for injection
}

// queueBytes bounds what one edge holds in its target's queue, in bytes.
const queueBytes = 64 << 20

func newTopology(plan *pipeline.Plan) *topology {
	t := &topology{nodes: map[string]*node{}, sources: map[string]*router{}}
	for _, tr := range plan.Transforms {
		t.addNode(tr.Name, tr.Workers)
	}
	for _, s := range plan.Sinks {
		t.addNode(s.Name, 1)
	}
	for _, s := range plan.Sources {
		t.sources[s.Name] = &router{}
	}
	for _, pe := range plan.Edges {
		t.addEdge(pe)
	}
	return t
}

func (t *topology) addNode(name string, workers int) {
	n := &node{name: name, inbox: newInbox()}
	n.counts.calls = make([]atomic.Uint64, max(workers, 1))
	t.nodes[name] = n
	t.order = append(t.order, n)
}

func (t *topology) addEdge(pe *pipeline.Edge) {
	target := t.nodes[pe.To]
	e := target.newEdge(pe)
	t.edges = append(t.edges, e)
	from := t.sources[pe.From]
	if from == nil {
		from = &t.nodes[pe.From].out
	}
	from.edges = append(from.edges, e)
	from.conditional = from.conditional || pe.When != nil
	if target.inject == nil {
		policy := *pe
		policy.From, policy.When, policy.Required = "", nil, true
		target.inject = target.newEdge(&policy)
	}
}

func (n *node) newEdge(pe *pipeline.Edge) *edge {
	return &edge{Edge: pe, target: n, lane: n.inbox.newLane(max(pe.BufferMax, 1), queueBytes)}
}
