package engine

import (
	"time"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
)

// Observer is told of what Status cannot hold, because it is a distribution: every call
// into a guest, every write, and how long rows and messages take. Counts and gauges are in
// Status, for whoever looks now and then.
//
// Its methods run on the goroutines that do the work, several at a time: they are safe for
// concurrent use, return at once and do not call the engine.
type Observer interface {
	// Applied tells of one call into a guest.
	Applied(Call)
	// Written tells of one attempt to write a batch to a sink; err is nil where it took it.
	Written(sink *pipeline.Sink, records int, took time.Duration, err error)
	// Appended tells how long rows took to become durable together, from the first try on:
	// waiting for room is in it.
	Appended(rows int, took time.Duration)
	// Committed tells how long messages of a source took from being accepted to the durable
	// checkpoint that covers them. Replayed and injected ones do not count.
	Committed(messages int, took time.Duration)
}

// Call is one call into a guest.
type Call struct {
	Node       *pipeline.Transform // its name, its flavor, its budget
	Usage      runtime.Usage
	InputBytes int
	// Kind is of the guest's failure; "" for a success, and for a fault that is not the
	// guest's.
	Kind runtime.Kind
}

// observeCall tells of a call, and warns where it came close to the node's budget.
func (w *worker) observeCall(d *delivery, usage runtime.Usage, failure *runtime.Failure) {
	if failure == nil {
		w.node.near.note(w.node, d, usage)
	}
	observer := w.node.engine.opt.Observer
	if observer == nil {
		return
	}
	call := Call{Node: w.node.plan, Usage: usage, InputBytes: len(d.msg.Payload)}
	if failure != nil {
		call.Kind = failure.Kind
	}
	observer.Applied(call)
}
