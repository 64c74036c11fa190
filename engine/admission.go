package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"time"

	"github.com/leat-run/leat/engine/commit"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// Admission is how a message enters. There is one path, in this order:
//
//	gate slot -> stamps -> spool append (durable) -> registration -> dispatch
//
// Its three modes differ in what they leave out (engine.md has the table): a live group
// counts for its source; a replayed row is in the spool already; an injected message
// enters at a node and counts for no source.

// emitter is one source's way in. It belongs to the source's node; emits of several
// goroutines are told apart by their index.
type emitter struct {
	engine *Engine
	name   string
	index  int // of the source
	codec  string
	made   indexer
	known  knownRows
	// accepted counts the emissions of this run that are in the spool.
	accepted atomic.Int64
	outbox   pool[*outbox]
	scratch  pool[*emitScratch]
}

// emitScratch is the memory of one emit, reused: nothing of it is kept by who gets it.
type emitScratch struct {
	rows      []store.Row
	bytes     []int64
	positions []runtime.Position
}

// emit is the Emit that a source gets.
func (em *emitter) emit(ctx context.Context, group []Emission) error {
	for len(group) > 0 && !em.known.none() {
		var fresh []Emission
		fresh, group = em.adopt(group)
		if err := em.emitFresh(ctx, fresh); err != nil {
			return err
		}
	}
	return em.emitFresh(ctx, group)
}

// emitFresh takes emissions in that are not in the spool, in chunks.
func (em *emitter) emitFresh(ctx context.Context, group []Emission) error {
	for len(group) > 0 {
		n := em.engine.cut(group)
		if err := em.admit(ctx, group[:n]); err != nil {
			return err
		}
		group = group[n:]
	}
	return nil
}

// admit takes one chunk through the whole path. The verdict: nil, accepted; ctx's error,
// shutting down; any other, refused, with the slots returned.
func (em *emitter) admit(ctx context.Context, group []Emission) error {
	e := em.engine
	s := em.scratch.get(func() *emitScratch { return &emitScratch{} })
	defer em.scratch.put(s)
	total := s.weigh(group)
	if err := e.hold.wait(ctx, e.intake.Done()); err != nil {
		return err
	}
	e.admitting.Add(1)
	defer e.admissionDone()
	if err := e.slots(ctx, len(group), total); err != nil {
		return err
	}
	index := em.made.take(len(group))
	em.stamp(s, group)
	first, err := e.append(ctx, s.rows)
	if err != nil {
		e.gate.release(len(group), total)
		e.tracker.Refuse(em.index, index, len(group))
		clear(s.rows)
		return err
	}
	e.register(commit.Arrival{First: first, Bytes: s.bytes, Origin: commit.Origin{
		Source: em.index, Index: index, Positions: s.positionsOf(group),
	}})
	clear(s.positions)
	em.accepted.Add(int64(len(group)))
	e.noteAccepted(first, len(group))
	err = em.dispatch(s.rows, first)
	clear(s.rows)
	return err
}

// dispatch makes rows visible to the nodes. What cannot be queued before the hard stop
// stays uncommitted; the emission was accepted all the same.
func (em *emitter) dispatch(rows []store.Row, first runtime.Seq) error {
	e := em.engine
	o := em.outbox.get(func() *outbox { return e.newOutbox(e.topology.sources[em.name]) })
	defer em.outbox.put(o)
	for i := range rows {
		rows[i].Seq = first + runtime.Seq(i)
		e.enter(o, &rows[i], false)
	}
	_ = o.flush(e.work) // the spool has them
	return nil
}

func (s *emitScratch) weigh(group []Emission) (total int64) {
	s.bytes = s.bytes[:0]
	for i := range group {
		s.bytes = append(s.bytes, group[i].weigh())
		total += s.bytes[i]
	}
	return total
}

func (g *Emission) weigh() int64 {
	return weigh(&runtime.Message{Payload: g.Payload, Key: g.Key, Meta: g.Meta})
}

// stamp turns emissions into rows: the id is kept where the source has one.
func (em *emitter) stamp(s *emitScratch, group []Emission) {
	now := em.engine.stampTime()
	s.rows = s.rows[:0]
	for i := range group {
		g := &group[i]
		m := runtime.Message{
			ID: g.ID, Key: g.Key, Payload: g.Payload, Codec: em.codec,
			Meta: em.engine.stampMeta(g.Meta, g.Stamps), Source: em.name, Ingested: now,
		}
		if m.ID == "" {
			m.ID = em.engine.opt.idAt(now)
		}
		s.rows = append(s.rows, store.Row{Node: em.name, Message: m, Fault: g.Fault})
	}
}

// stampMeta takes reserved names away from the source's meta, and adds its stamps and this run's.
func (e *Engine) stampMeta(meta, stamps runtime.Meta) runtime.Meta {
	if len(meta)+len(stamps)+len(e.stamps) == 0 {
		return nil
	}
	out := make(runtime.Meta, len(meta)+len(stamps)+len(e.stamps))
	for k, v := range meta {
		if !strings.HasPrefix(k, runtime.MetaReserved) {
			out[k] = v
		}
	}
	maps.Copy(out, stamps)
	maps.Copy(out, e.stamps)
	return out
}

func (e *Engine) stampTime() time.Time { return e.now().UTC().Truncate(time.Millisecond) }

// cut returns how many emissions of the group are admitted together: bounded by rows,
// bytes and a quarter of the gate, so that one chunk can be on its way while another
// one is written.
func (e *Engine) cut(group []Emission) int {
	most := min(len(group), chunkRows, max(e.gate.messages/4, 1))
	bound := min(chunkBytes, max(e.gate.bytes/4, 1))
	var bytes int64
	for n := range most {
		bytes += group[n].weigh()
		if bytes > bound && n > 0 {
			return n
		}
	}
	return most
}

func (s *emitScratch) positionsOf(group []Emission) []runtime.Position {
	s.positions = s.positions[:0]
	for i := range group {
		s.positions = append(s.positions, group[i].Position)
	}
	return s.positions
}

// append makes rows durable and tells how long that took.
func (e *Engine) append(ctx context.Context, rows []store.Row) (runtime.Seq, error) {
	if e.opt.Observer == nil {
		return e.appendDurably(ctx, rows)
	}
	began := time.Now()
	first, err := e.appendDurably(ctx, rows)
	if err == nil {
		e.opt.Observer.Appended(len(rows), time.Since(began))
	}
	return first, err
}

// appendDurably makes rows durable. While the store has no room it waits, without spinning, until
// it has or ctx ends: nothing was written then, so that a chunk is never half accepted. A
// store that failed ends the run.
func (e *Engine) appendDurably(ctx context.Context, rows []store.Row) (runtime.Seq, error) {
	for {
		first, err := e.store.Append(rows)
		switch {
		case err == nil:
			return first, nil
		case errors.Is(err, store.ErrFull):
			if err := e.waitForRoom(ctx); err != nil {
				return 0, err
			}
		case errors.Is(err, store.ErrFailed), errors.Is(err, store.ErrClosed):
			e.fail(FailureStore, "", err)
			return 0, fmt.Errorf("engine: append: %w", err)
		default:
			return 0, fmt.Errorf("engine: append: %w", err)
		}
	}
}

// noteAccepted starts the clock of Observer.Committed.
func (e *Engine) noteAccepted(first runtime.Seq, count int) {
	if e.opt.Observer != nil {
		e.accepted.note(first, count, time.Now())
	}
}

// register tells the tracker and gives back the slots of what was ended by force meanwhile.
func (e *Engine) register(a commit.Arrival) {
	e.free(e.tracker.Arrive(a))
}

// apply tells the tracker what happened to branches.
func (e *Engine) apply(events []commit.Event) {
	if len(events) > 0 {
		e.free(e.tracker.Apply(events...))
	}
}

// free gives slots back and wakes the committer: the frontier moved.
func (e *Engine) free(freed commit.Freed) {
	if freed.Messages == 0 {
		return
	}
	e.gate.release(freed.Messages, freed.Bytes)
	token(e.moved)
}

// admissionDone lets Run look again at whether everything is done.
func (e *Engine) admissionDone() {
	if e.admitting.Add(-1) == 0 {
		token(e.progress)
	}
}
