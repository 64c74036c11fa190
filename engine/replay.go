package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// ReplayRequest selects dead letters, or a window of the spool, and says what becomes of
// them.
type ReplayRequest struct {
	// IDs selects letters by name, quarantined ones too; they are replayed in this order.
	IDs []string
	// Match selects among all letters that are not quarantined, the oldest first; nil with
	// no IDs selects all of them. It is ignored where IDs are given.
	Match func(store.DeadLetter) bool
	// At overrides the node: "" is the node that failed.
	At string
	// Delete removes the letters that then committed.
	Delete bool
	// Window selects committed rows of the spool instead of letters; see replayWindow.
	Window *Window
}

// ReplayResult says what became of the selected letters, or of the rows of a window.
type ReplayResult struct {
	Selected, Committed, FailedAgain, Quarantined, Skipped int
	// Letters is empty for a window: a row of it that fails has a dead letter of its own.
	Letters []ReplayedLetter

	now func() ReplayResult // nil where nothing can change any more
}

// Now is the result as it stands now. Replay may end before what it sent is committed; once
// the run has ended, too, this is what became of it.
func (r ReplayResult) Now() ReplayResult {
	if r.now == nil {
		return r
	}
	return r.now()
}

// ReplayedLetter is one letter's before and after.
type ReplayedLetter struct {
	ID     string
	Node   string
	Before LetterFault
	// After is "fixed" (every branch came to its end), "same" or "other" (another failure, be it
	// in another node); "skipped" with why in Failure.
	After   string
	Failure LetterFault
	At      string // the node that failed now; "" for none
}

// LetterFault is a failure in short.
type LetterFault struct {
	Kind   runtime.Kind
	Reason string
}

// replayBatch bounds how many letters are in flight for one Replay.
const replayBatch = 256

// Replay injects the selected letters INTO the nodes that failed and returns when all of
// them are committed. If ctx or the run ends first, the error says so and the result has
// what is known; what was injected is in the spool and goes on in the next run.
func (e *Engine) Replay(ctx context.Context, q ReplayRequest) (ReplayResult, error) {
	if q.Window != nil {
		return e.replayWindow(ctx, q)
	}
	r := &letterReplay{engine: e, request: q}
	err := r.selectLetters()
	if err == nil {
		err = r.send(ctx)
	}
	return r.result(), err
}

// letterReplay is one Replay of letters.
type letterReplay struct {
	engine      *Engine
	request     ReplayRequest
	letters     []store.DeadLetter
	rows        []*letterRow // of the first letters: those that were dealt with
	quarantined int
}

// send replays the letters, so many at a time.
func (r *letterReplay) send(ctx context.Context) error {
	for batch := range slices.Chunk(r.letters, replayBatch) {
		if err := r.batch(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// selectLetters reads what the request names; it never picks a quarantined letter by a
// filter. An ID without a letter is kept: somebody deleted it since it was chosen.
func (r *letterReplay) selectLetters() (err error) {
	q, st := &r.request, r.engine.store
	if len(q.IDs) == 0 {
		err = st.Letters(func(l store.DeadLetter) error {
			switch {
			case q.Match != nil && !q.Match(l):
			case l.Quarantined:
				r.quarantined++
			default:
				r.letters = append(r.letters, l)
			}
			return nil
		})
	}
	for _, id := range q.IDs {
		l, readErr := st.Letter(id)
		if errors.Is(readErr, store.ErrNotFound) {
			l, readErr = store.DeadLetter{ID: id}, nil
		}
		if readErr != nil {
			return fmt.Errorf("engine: replay %s: %w", id, readErr)
		}
		r.letters = append(r.letters, l)
	}
	if err != nil {
		return fmt.Errorf("engine: replay: read the dead letters: %w", err)
	}
	return nil
}

// batch sends letters that are durable together, and waits until they are committed.
func (r *letterReplay) batch(ctx context.Context, batch []store.DeadLetter) error {
	e, waiter := r.engine, newLetterWaiter(len(batch))
	var list []incoming
	var failed error
	for i := range batch {
		in, err := e.replayLetter(r.request, &batch[i], waiter)
		if failed = err; err != nil {
			break
		}
		if r.rows = append(r.rows, in.letter); in.letter.skipped == "" {
			list = append(list, in)
		}
	}
	injected := 0
	if failed == nil {
		injected, failed = e.inject(ctx, list, &e.injected)
	}
	for _, in := range list[injected:] {
		e.letters.release(in.Letter)
	}
	if failed == nil {
		failed = e.awaitLetters(ctx, waiter, len(batch)-injected)
	}
	return failed
}

// wentMeanwhile is why a letter is skipped that another replay or a purge was faster with.
const wentMeanwhile = "it was replayed or deleted meanwhile"

// replayLetter claims a letter and makes its injection, or says in the row why it is skipped.
func (e *Engine) replayLetter(q ReplayRequest, l *store.DeadLetter, waiter *letterWaiter) (incoming, error) {
	if l.Node == "" {
		return incoming{letter: &letterRow{skipped: wentMeanwhile}}, nil
	}
	if l.PayloadLength != 0 {
		return incoming{letter: &letterRow{skipped: "only the start of its payload was kept"}}, nil
	}
	if q.At == "" && !e.hasNode(l.Node) {
		return incoming{letter: &letterRow{skipped: "there is no such node any more: another one can be named"}}, nil
	}
	if !e.letters.claim(l.ID) {
		return incoming{letter: &letterRow{skipped: "it is being replayed already"}}, nil
	}
	in, err := e.replayClaimed(q, l.ID, waiter)
	if err != nil || in.letter.skipped != "" {
		e.letters.release(l.ID)
	}
	return in, err
}

// replayClaimed reads the letter once more: since it was selected, another replay may have
// brought it up to date, or to its end.
func (e *Engine) replayClaimed(q ReplayRequest, id string, waiter *letterWaiter) (incoming, error) {
	l, err := e.store.Letter(id)
	if errors.Is(err, store.ErrNotFound) {
		return incoming{letter: &letterRow{skipped: wentMeanwhile}}, nil
	}
	if err != nil {
		return incoming{}, fmt.Errorf("engine: replay %s: %w", id, err)
	}
	node := l.Node
	if q.At != "" {
		node = q.At
	}
	return incoming{
		Injection: Injection{
			Node: node, Message: l.Message, Letter: id, DeleteLetter: q.Delete,
			Replays: l.ReplayCount + 1, OriginalSeq: l.SpoolSeq,
		},
		letter: &letterRow{id: id, node: node, delete: q.Delete, claimed: true, waiter: waiter},
	}, nil
}

// awaitLetters waits until every injected row of the waiter is committed.
func (e *Engine) awaitLetters(ctx context.Context, w *letterWaiter, skipped int) error {
	if e.letters.forget(w, skipped) {
		return nil
	}
	return e.await(ctx, w, "replay")
}

func (e *Engine) await(ctx context.Context, w *letterWaiter, operation string) error {
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-e.work.Done():
		return fmt.Errorf("engine: %s: the run ended first: %w", operation, context.Cause(e.work))
	}
}

// result is what is known of the letters by now.
func (r *letterReplay) result() ReplayResult {
	l := &r.engine.letters
	l.mu.Lock()
	defer l.mu.Unlock()
	result := ReplayResult{Selected: len(r.letters), Quarantined: r.quarantined, now: r.result}
	for i := range r.letters {
		row := &letterRow{skipped: "the run ended first"}
		if i < len(r.rows) {
			row = r.rows[i]
		}
		result.add(&r.letters[i], row)
	}
	return result
}

// add adds one letter to the result. REQUIRES: the ledger's lock.
func (r *ReplayResult) add(letter *store.DeadLetter, row *letterRow) {
	out := ReplayedLetter{ID: letter.ID, Node: letter.Node, Before: LetterFault{Reason: letter.Reason}}
	if letter.Failure != nil {
		out.Before.Kind = letter.Failure.Kind
	}
	switch {
	case row.skipped != "":
		r.Skipped++
		out.After, out.Failure.Reason = "skipped", row.skipped
	case !row.settled:
		r.Skipped++
		out.After, out.Failure.Reason = "skipped", "the run ended before it was committed"
	case row.failed:
		r.FailedAgain++
		out.After, out.Failure, out.At = "other", row.fault, row.at
		if out.Failure == out.Before && out.At == out.Node {
			out.After = "same"
		}
	default:
		r.Committed++
		out.After = "fixed"
	}
	r.Letters = append(r.Letters, out)
}
