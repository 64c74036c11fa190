package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leat-run/leat/engine/pipeline/document"
)

type nodeKind string

const (
	isSource    nodeKind = "source"
	isTransform nodeKind = "transform"
	isSink      nodeKind = "sink"
)

type node struct {
	name string
	kind nodeKind
	at   document.Place
	// up and down are the edges in the order of the document.
	up, down []link
}

// link is an edge as seen from one of its ends.
type link struct {
	other *node
	at    document.Place // of the name in `from`
}

// nodes is the graph of a document while it is checked.
type nodes struct {
	report *document.Report
	list   []*node
	byName map[string]*node
	// lost says that an upstream could not be resolved even by guessing: what looks
	// unconnected may be its other end, and is not reported.
	lost bool
}

func newNodes(report *document.Report) *nodes {
	return &nodes{report: report, byName: map[string]*node{}}
}

// add takes a node in. Names are unique across sources, transforms and sinks.
func (g *nodes) add(e document.Entry, kind nodeKind) {
	n := &node{name: e.Name, kind: kind, at: e.At}
	if first, dup := g.byName[e.Name]; dup {
		g.report.Errorf(e.At, "duplicate-name", "names are unique across sources, transforms and sinks",
			"%q is also a %s on line %d", e.Name, first.kind, first.at.Line)
		return
	}
	g.byName[e.Name] = n
	g.list = append(g.list, n)
}

// connect adds the edge from e to target, and says whether there can be one.
func (g *nodes) connect(e document.Entry, target document.Entry) bool {
	to := g.byName[target.Name]
	if to.at != target.At {
		return false // a second node of that name, which is reported
	}
	from, ok := g.byName[e.Name]
	switch {
	case !ok:
		g.unknown(e, to)
	case from == to:
		g.report.Errorf(e.At, "self-edge", "a node cannot read from itself", "%s reads from itself", to.name)
	case from.kind == isSink:
		g.report.Errorf(e.At, "sink-upstream", "read from what the sink reads from", "%s reads from the sink %s, which has no output", to.name, from.name)
	case slices.ContainsFunc(to.up, func(l link) bool { return l.other == from }):
		g.report.Errorf(e.At, "duplicate-edge", "join the conditions with ||", "%s reads from %s twice", to.name, from.name)
	default:
		join(from, to, e.At)
		return true
	}
	return false
}

func join(from, to *node, at document.Place) {
	to.up = append(to.up, link{from, at})
	from.down = append(from.down, link{to, at})
}

// unknown reports an upstream that does not exist. The edge to the node that was probably
// meant is assumed, so that one typing mistake is one diagnostic.
func (g *nodes) unknown(e document.Entry, to *node) {
	candidates := func(yield func(string) bool) {
		for _, n := range g.list {
			if n.kind != isSink && n != to && !yield(n.name) {
				return
			}
		}
	}
	g.report.Errorf(e.At, "unknown-node", document.DidYouMean(e.Name, candidates), "%s reads from %q, which does not exist", to.name, e.Name)
	near := document.Nearest(e.Name, candidates)
	if near == "" {
		g.lost = true
		return
	}
	join(g.byName[near], to, e.At)
}

// check reports cycles, and nodes that lead to no sink.
func (g *nodes) check() {
	if g.cycles() || g.lost {
		return
	}
	reaches := g.reachesSink()
	for _, n := range g.list {
		switch {
		case n.kind == isSink || reaches[n]:
		case len(n.down) == 0:
			g.report.Errorf(n.at, "orphan", fmt.Sprintf("add it to a node's from, or remove it: from: [%s]", n.name), "nothing reads from the %s %s", n.kind, n.name)
		default:
			g.report.Errorf(n.at, "no-path", "connect the last of them to a sink", "what %s emits reaches no sink: %s", n.name, deadEnd(n))
		}
	}
}

// deadEnd is the way from n to where it ends without a sink.
func deadEnd(n *node) string {
	way := []string{n.name}
	for len(n.down) > 0 {
		n = n.down[0].other
		way = append(way, n.name)
	}
	return strings.Join(way, " -> ")
}

func (g *nodes) reachesSink() map[*node]bool {
	reaches := map[*node]bool{}
	var mark func(*node)
	mark = func(n *node) {
		if !reaches[n] {
			reaches[n] = true
			for _, l := range n.up {
				mark(l.other)
			}
		}
	}
	for _, n := range g.list {
		if n.kind == isSink {
			mark(n)
		}
	}
	return reaches
}

// cycles reports each cycle that a walk from the nodes in order closes, with its path, at
// the edge that closes it. It says whether there is one.
func (g *nodes) cycles() bool {
	const open, done = 1, 2
	state := map[*node]int{}
	var path []*node
	found := false
	var walk func(*node)
	walk = func(n *node) {
		state[n] = open
		path = append(path, n)
		for _, l := range n.down {
			switch state[l.other] {
			case open:
				found = true
				g.cycle(path, l)
			case done:
			default:
				walk(l.other)
			}
		}
		path = path[:len(path)-1]
		state[n] = done
	}
	for _, n := range g.list {
		if state[n] == 0 {
			walk(n)
		}
	}
	return found
}

func (g *nodes) cycle(path []*node, closing link) {
	start := slices.Index(path, closing.other)
	names := make([]string, 0, len(path)-start+1)
	for _, n := range path[start:] {
		names = append(names, n.name)
	}
	names = append(names, closing.other.name)
	g.report.Errorf(closing.at, "cycle", "messages flow one way: remove one of these edges", "the nodes form a cycle: %s", strings.Join(names, " -> "))
}

// order returns the names of the nodes of a kind so that every node stands behind its
// upstreams, else in the order of the document. Nodes on a cycle, which is an error, are left
// out.
func (g *nodes) order(kind nodeKind) []string {
	waiting := make(map[*node]int, len(g.list))
	for _, n := range g.list {
		waiting[n] = len(n.up)
	}
	var out []string
	for len(waiting) > 0 {
		next := slices.IndexFunc(g.list, func(n *node) bool { left, ok := waiting[n]; return ok && left == 0 })
		if next < 0 {
			break
		}
		n := g.list[next]
		delete(waiting, n)
		for _, l := range n.down {
			waiting[l.other]--
		}
		if n.kind == kind {
			out = append(out, n.name)
		}
	}
	return out
}
