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
	if !e.hasNode(in.Node) {
		return 0, fmt.Errorf("%w: %q", ErrUnknownNode, in.Node)
	}
	return e.injectGroup(ctx, []incoming{{Injection: in}}, &e.injected)
}

// incoming is an injection and its row in the ledger, which may be nil.
type incoming struct {
	Injection
	letter *letterRow
}

// inject takes messages in, in their order and as many together as the gate allows: they
// share the disk's syncs. It counts each as what it is, and returns how many are in; the
// error is the refusal of the rest.
func (e *Engine) inject(ctx context.Context, list []incoming, count *atomic.Int64) (n int, err error) {
	for _, in := range list {
		if !e.hasNode(in.Node) {
			return 0, fmt.Errorf("%w: %q", ErrUnknownNode, in.Node)
		}
	}
	for n < len(list) {
		group := list[n : n+e.cutInjections(list[n:])]
		if _, err := e.injectGroup(ctx, group, count); err != nil {
			return n, err
		}
		n += len(group)
	}
	return n, nil
}

// cutInjections returns how many of the list are admitted together, like cut.
func (e *Engine) cutInjections(list []incoming) int {
	most := min(len(list), chunkRows, max(e.gate.messages/4, 1))
	bound := min(chunkBytes, max(e.gate.bytes/4, 1))
	var bytes int64
	for n := range most {
		bytes += weigh(&list[n].Message)
		if bytes > bound && n > 0 {
			return n
		}
	}
	return most
}

// injectGroup takes one group through the whole path of admission. REQUIRES: its nodes exist.
func (e *Engine) injectGroup(ctx context.Context, group []incoming, count *atomic.Int64) (first runtime.Seq, err error) {
	rows, bytes, total := e.injectedRows(group)
	e.admitting.Add(1)
	defer e.admissionDone()
	if err := e.slots(ctx, len(rows), total); err != nil {
		return 0, err
	}
	if first, err = e.append(ctx, rows); err != nil {
		e.gate.release(len(rows), total)
		return 0, err
	}
	for i := range rows {
		rows[i].Seq = first + runtime.Seq(i)
		e.expectLetter(&group[i], rows[i].Seq)
	}
	count.Add(int64(len(rows)))
	e.register(commit.Arrival{First: first, Bytes: bytes, Origin: commit.Origin{Source: commit.Nobody}})
	for i := range rows {
		_ = e.dispatchRow(e.entryOutbox(rows[i].Node), &rows[i], false) // the spool has it
	}
	return first, nil
}

func (e *Engine) injectedRows(group []incoming) (rows []store.Row, bytes []int64, total int64) {
	for _, in := range group {
		row := store.Row{
			Node: in.Node, Inject: true, Letter: in.Letter, DeleteLetter: in.DeleteLetter, Message: e.stampInjection(in.Injection),
		}
		rows, bytes = append(rows, row), append(bytes, weigh(&row.Message))
		total += bytes[len(bytes)-1]
	}
	return rows, bytes, total
}

// expectLetter puts the injection of a letter, or of what somebody waits for, into the ledger.
func (e *Engine) expectLetter(in *incoming, seq runtime.Seq) {
	if in.letter == nil && in.Letter != "" {
		in.letter = &letterRow{id: in.Letter, node: in.Node, delete: in.DeleteLetter}
	}
	if in.letter != nil {
		in.letter.seq = seq
		e.letters.add(in.letter)
	}
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
