package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// Window is a range of spool rows, both ends included.
type Window struct {
	From runtime.Seq `json:"from"`
	To   runtime.Seq `json:"to"`
}

// ErrWindow says that a window cannot be replayed: some of its rows were trimmed, are not
// committed yet, or never were.
var ErrWindow = errors.New("engine: this spool window cannot be replayed")

// String is the window as the command line has it.
func (w Window) String() string { return fmt.Sprintf("%d:%d", w.From, w.To) }

func (w Window) rows() int { return int(w.To - w.From + 1) }

// windowReplay sends the rows of a window through the pipeline once more. Each enters where
// it entered before, out of its source or INTO the node that it was injected at, or at
// ReplayRequest.At, decoded; it gets a row of its own, keeps its ID, is marked as a replay
// and counts as replayed. The gate bounds how many are on their way.
type windowReplay struct {
	engine *Engine
	at     string
	next   runtime.Seq // the row that must come now
	to     runtime.Seq
	waiter *letterWaiter
	ready  []incoming // rows that are sent together
}

// replayWindow returns when every row of the window is committed again. A row that is no
// message (its source could not hand it on), that no node takes, or that At cannot take
// because it does not decode, is skipped.
func (e *Engine) replayWindow(ctx context.Context, q ReplayRequest) (ReplayResult, error) {
	if err := e.checkWindow(q); err != nil {
		return ReplayResult{}, err
	}
	r := &windowReplay{engine: e, at: q.At, next: q.Window.From, to: q.Window.To, waiter: newLetterWaiter(1)}
	err := e.store.Rows(r.next-1, func(row store.Row) error { return r.row(ctx, &row) })
	if err == nil && r.next <= r.to {
		err = r.trimmed(e.store.LastSeq() + 1)
	}
	flushed := r.flush(ctx)
	if err == nil || errors.Is(err, errEnough) {
		err = flushed
	}
	if err == nil {
		err = e.awaitLetters(ctx, r.waiter, 1)
	}
	return e.letters.windowResult(*q.Window, r.waiter), err
}

// checkWindow refuses what cannot be replayed whole, before anything is.
func (e *Engine) checkWindow(q ReplayRequest) error {
	w := *q.Window
	checkpoint, err := e.store.Checkpoint()
	if err != nil {
		return fmt.Errorf("engine: replay %s: read the checkpoint: %w", w, err)
	}
	oldest, err := e.oldestRow()
	if err != nil {
		return fmt.Errorf("engine: replay %s: read the spool: %w", w, err)
	}
	switch {
	case len(q.IDs) > 0 || q.Match != nil:
		return fmt.Errorf("%w: %s: a replay is of letters or of a window", ErrWindow, w)
	case w.From < 1 || w.From > w.To:
		return fmt.Errorf("%w: %s: a window is FROM:TO, both at least 1, FROM not after TO", ErrWindow, w)
	case w.To > checkpoint.Through:
		return fmt.Errorf("%w: row %d is not committed, the checkpoint is %d", ErrWindow, w.To, checkpoint.Through)
	case w.From < oldest:
		return fmt.Errorf("%w: row %d was trimmed, the oldest that is kept is %d", ErrWindow, w.From, oldest)
	case q.At != "" && !e.hasNode(q.At):
		return fmt.Errorf("%w: %q", ErrUnknownNode, q.At)
	}
	return nil
}

// oldestRow is the first row that the spool still holds, or the one that comes next.
func (e *Engine) oldestRow() (oldest runtime.Seq, err error) {
	oldest = e.store.LastSeq() + 1
	err = e.store.Rows(0, func(row store.Row) error {
		oldest = row.Seq
		return errEnough
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return oldest, err
}

func (e *Engine) hasNode(name string) bool {
	return e.topology.sources[name] != nil || e.topology.nodes[name] != nil
}

// row replays one row. It ends the scan behind the window, and where rows were trimmed
// while the window was on its way.
func (r *windowReplay) row(ctx context.Context, row *store.Row) error {
	if row.Seq > r.to {
		return errEnough
	}
	if row.Seq != r.next {
		return r.trimmed(row.Seq)
	}
	r.next++
	in, ok := r.injection(row)
	if !ok {
		return nil
	}
	r.ready = append(r.ready, incoming{Injection: in, letter: &letterRow{waiter: r.waiter}})
	if len(r.ready) < replayBatch {
		return nil
	}
	return r.flush(ctx)
}

// flush sends what is ready.
func (r *windowReplay) flush(ctx context.Context) error {
	r.engine.letters.expect(r.waiter, len(r.ready))
	n, err := r.engine.inject(ctx, r.ready, &r.engine.replayed)
	r.engine.letters.forget(r.waiter, len(r.ready)-n)
	r.ready = r.ready[:0]
	return err
}

func (r *windowReplay) trimmed(kept runtime.Seq) error {
	return fmt.Errorf("%w: row %d was trimmed while the window was replayed, the oldest that is kept is %d", ErrWindow, r.next, kept)
}

// injection is the row as it enters again; false if it cannot.
func (r *windowReplay) injection(row *store.Row) (Injection, bool) {
	e := r.engine
	in := Injection{Node: row.Node, Message: row.Message, Replays: 1, OriginalSeq: row.Seq}
	if r.at != "" {
		in.Node = r.at
	}
	if row.Fault != nil || !e.hasNode(in.Node) {
		return in, false
	}
	if n, err := strconv.Atoi(row.Message.Meta[runtime.MetaReplayCount]); err == nil {
		in.Replays = n + 1
	}
	if n, err := strconv.ParseUint(row.Message.Meta[runtime.MetaOriginalSeq], 10, 64); err == nil {
		in.OriginalSeq = runtime.Seq(n)
	}
	if e.topology.nodes[row.Node] == nil && e.topology.nodes[in.Node] != nil {
		payload, err := decode(e.endpoints.Codecs, &in.Message) // it was kept as its source read it
		if err != nil {
			return in, false
		}
		in.Message.Payload = payload
	}
	return in, true
}

// windowResult counts what became of a window's rows.
func (l *letterLedger) windowResult(w Window, waiter *letterWaiter) ReplayResult {
	l.mu.Lock()
	defer l.mu.Unlock()
	return ReplayResult{
		Selected: w.rows(), Committed: waiter.committed, FailedAgain: waiter.failed,
		Skipped: w.rows() - waiter.committed - waiter.failed,
		now:     func() ReplayResult { return l.windowResult(w, waiter) },
	}
}
