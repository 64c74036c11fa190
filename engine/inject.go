package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/leat-run/leat/engine/commit"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// Injection is a message that enters at a node: INTO a transform or sink, or out of a
// source, where it is decoded. It counts for no source's position and stands outside the
// order of the node.
type Injection struct {
	Node string
	// Message keeps its ID, key, codec and meta; an empty ID is made, and Ingested is now if
	// it is zero.
	Message runtime.Message
	// Letter is the dead letter that this replays: failing again in Node updates it.
	Letter string
	// DeleteLetter removes the letter once the message is committed without failing again.
	DeleteLetter bool
	// Replays marks the message as a replay in its meta; 0 for one that is none.
	Replays int
	// OriginalSeq is where a replayed message first stood; 0 is unknown.
	OriginalSeq runtime.Seq
}

// ErrUnknownNode says that the plan has no node of that name.
var ErrUnknownNode = errors.New("engine: no such node")

// Inject takes a message in. It returns once the message is durable and on its way; an
// error is a refusal: nothing was written.
func (e *Engine) Inject(ctx context.Context, in Injection) (runtime.Seq, error) {
	return e.inject(ctx, in, nil, &e.injected)
}

// inject is Inject; it puts letter, which may be nil, into the ledger, and counts the
// admission as what it is.
func (e *Engine) inject(ctx context.Context, in Injection, letter *letterRow, count *atomic.Int64) (runtime.Seq, error) {
	if !e.hasNode(in.Node) {
		return 0, fmt.Errorf("%w: %q", ErrUnknownNode, in.Node)
	}
	row := store.Row{
		Node: in.Node, Inject: true, Letter: in.Letter, DeleteLetter: in.DeleteLetter, Message: e.stampInjection(in),
	}
	bytes := weigh(&row.Message)
	e.admitting.Add(1)
	defer e.admissionDone()
	if err := e.slots(ctx, 1, bytes); err != nil {
		return 0, err
	}
	rows := []store.Row{row}
	seq, err := e.append(ctx, rows)
	if err != nil {
		e.gate.release(1, bytes)
		return 0, err
	}
	rows[0].Seq = seq
	if letter == nil && in.Letter != "" {
		letter = &letterRow{id: in.Letter, node: in.Node, delete: in.DeleteLetter}
	}
	if letter != nil {
		letter.seq = seq
		e.letters.add(letter)
	}
	count.Add(1)
	e.register(commit.Arrival{First: seq, Bytes: []int64{bytes}, Origin: commit.Origin{Source: commit.Nobody}})
	_ = e.dispatchRow(e.entryOutbox(in.Node), &rows[0], false) // the spool has it
	return seq, nil
}

// stampInjection fills in what is missing and marks a replay.
func (e *Engine) stampInjection(in Injection) runtime.Message {
	m := in.Message
	if m.ID == "" {
		m.ID = e.newID()
	}
	if m.Ingested.IsZero() {
		m.Ingested = e.stampTime()
	}
	if m.Codec == "" {
		m.Codec = "json"
	}
	if in.Replays > 0 {
		m.Meta = replayMeta(&m, in.Replays, in.OriginalSeq)
	}
	return m
}

// replayMeta is the meta of m as a replay: which one it is, and where m first stood.
func replayMeta(m *runtime.Message, replays int, original runtime.Seq) runtime.Meta {
	meta := m.Meta.With(runtime.MetaIsReplay, "true").
		With(runtime.MetaOriginalID, m.ID).
		With(runtime.MetaReplayCount, strconv.Itoa(replays))
	if original > 0 {
		meta = meta.With(runtime.MetaOriginalSeq, strconv.FormatUint(uint64(original), 10))
	}
	return meta
}
