package engine

import (
	"context"
	"time"

	"github.com/leat-run/leat/engine/commit"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
)

// outbox collects what comes out of a source or a transform, and what became of the
// branches that ended there, until it is flushed: the tracker learns of new branches
// first, then the deliveries become visible. It belongs to one goroutine at a time.
type outbox struct {
	engine *Engine
	router *router
	events []commit.Event
	lanes  [][]delivery // parallel to router.edges
	weight int64        // bytes in lanes
	count  int          // deliveries in lanes
}

func (e *Engine) newOutbox(r *router) *outbox {
	return &outbox{engine: e, router: r, lanes: make([][]delivery, len(r.edges))}
}

// end notes that the branch at hand ended.
func (o *outbox) end(seq runtime.Seq, ending commit.Ending) {
	o.events = append(o.events, commit.Event{Seq: seq, Ending: ending})
}

// emit fans outputs out over the matching edges. The branch of d goes on in the first
// delivery; each further one opens a branch; an output that no edge takes is filtered.
func (o *outbox) emit(d *delivery, out []runtime.Message) {
	branches := int32(-1)
	at := len(o.events)
	o.events = append(o.events, commit.Event{Seq: d.seq})
	for i := range out {
		matched := o.fanOut(d, &out[i])
		if matched == 0 {
			o.end(d.seq, commit.NoMatch)
			matched = 1
		}
		branches += matched
	}
	if branches == 0 && len(o.events) == at+1 {
		o.events = o.events[:at] // one goes in, one goes on: nothing to tell
		return
	}
	o.events[at].Open = branches
}

// emitOne is emit for what a source hands in: one message.
func (o *outbox) emitOne(d *delivery) {
	switch matched := o.fanOut(d, &d.msg); matched {
	case 0:
		o.end(d.seq, commit.NoMatch)
	case 1:
	default:
		o.events = append(o.events, commit.Event{Seq: d.seq, Open: matched - 1})
	}
}

func (o *outbox) fanOut(d *delivery, m *runtime.Message) (matched int32) {
	var view *pipeline.View
	if o.router.conditional {
		view = o.engine.view(m)
	}
	for i, e := range o.router.edges {
		if e.When != nil && !o.engine.matches(e, view, m) {
			continue
		}
		o.lanes[i] = append(o.lanes[i], delivery{seq: d.seq, edge: e, suspect: d.suspect, msg: *m})
		o.weight += weigh(m)
		o.count++
		matched++
	}
	return matched
}

// flush makes everything visible, in the order in which it was collected per edge. If ctx
// ends first, what is not queued stays uncommitted.
func (o *outbox) flush(ctx context.Context) error {
	o.engine.apply(o.events)
	o.events = o.events[:0]
	var failed error
	for i, l := range o.lanes {
		if len(l) > 0 && failed == nil {
			o.router.edges[i].passed.Add(int64(len(l)))
			failed = o.router.edges[i].lane.push(ctx, l)
		}
		clear(l)
		o.lanes[i] = l[:0]
	}
	o.weight, o.count = 0, 0
	return failed
}

// view is m as the plan's expressions see it.
func (e *Engine) view(m *runtime.Message) *pipeline.View {
	return pipeline.NewView(e.plan.Constants, e.plan.Parameters, *m)
}

// matches evaluates an edge's predicate. One that fails to evaluate does not match; it
// is counted, and logged once a minute with an example.
func (e *Engine) matches(ed *edge, view *pipeline.View, m *runtime.Message) bool {
	ok, err := ed.When.Match(view)
	if err == nil {
		return ok
	}
	ed.unmatched.Add(1)
	if e.onceAMinute(&ed.warned) {
		e.log.Warn("a predicate cannot be evaluated: the message does not match",
			"from", ed.From, "to", ed.To, "message_id", m.ID, "error", err, "count", ed.unmatched.Load())
	}
	return false
}

const warnEvery = int64(time.Minute / time.Second)
