package engine

import (
	"fmt"

	"github.com/leat-run/leat/engine/commit"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// enter brings a durable, registered row into the graph: out of its source, decoded, or
// INTO the node that it was injected at. A row whose node the document no longer has ends
// at once and is counted.
func (e *Engine) enter(o *outbox, row *store.Row, suspect bool) {
	d := delivery{seq: row.Seq, suspect: suspect, msg: row.Message}
	if o.router == nil {
		o.end(d.seq, commit.Orphaned)
		return
	}
	if row.Fault != nil {
		e.refuseAtSource(row, row.Fault, wholeOf(row))
		return
	}
	payload, err := decode(e.endpoints.Codecs, &d.msg)
	if err != nil {
		e.refuseAtSource(row, &runtime.Failure{
			Kind: runtime.KindInput, Deterministic: true, Message: runtime.Cut(err.Error(), runtime.MaxReason), Cause: err,
		}, 0)
		return
	}
	d.msg.Payload = payload
	o.emitOne(&d)
}

// enterNode queues an injected row INTO its node.
func (e *Engine) enterNode(n *node, row *store.Row, suspect bool) error {
	d := delivery{seq: row.Seq, edge: n.inject, suspect: suspect, msg: row.Message}
	return n.inject.lane.push(e.work, []delivery{d})
}

// decode turns the bytes that a source read into a payload.
func decode(codecs map[string]Codec, m *runtime.Message) ([]byte, error) {
	codec := codecs[m.Codec]
	if codec == nil {
		return nil, fmt.Errorf("there is no codec %q", m.Codec)
	}
	return codec.Decode(m.Payload)
}

// wholeOf is the length of what a source could read but not hand on: the row has the start of
// it at most. -1 where the source does not say.
func wholeOf(row *store.Row) int64 {
	if whole := row.Fault.Measured; whole > int64(len(row.Message.Payload)) {
		return whole
	}
	return -1
}

// refuseAtSource dead-letters a message that is none (class decode). cut is the length of the
// whole where the message has its start only.
func (e *Engine) refuseAtSource(row *store.Row, f *runtime.Failure, cut int64) {
	_ = e.deadLetter(&fault{ // the row stays open where it cannot
		seq: row.Seq, msg: &row.Message, node: row.Node, class: store.ClassDecode, failure: f, attempts: 1, cut: cut,
	})
}
