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
}

// ReplayedLetter is one letter's before and after.
type ReplayedLetter struct {
	ID     string
	Node   string
	Before LetterFault
	// After is "fixed", "same" or "other" (another failure); "skipped" with why in Failure.
	After   string
	Failure LetterFault
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
	var result ReplayResult
	letters, err := e.selectLetters(q, &result)
	if err != nil {
		return result, err
	}
	for batch := range slices.Chunk(letters, replayBatch) {
		if err := e.replayBatch(ctx, q, batch, &result); err != nil {
			return result, err
		}
	}
	return result, nil
}

// selectLetters reads what the request names; it never picks a quarantined letter by a
// filter.
func (e *Engine) selectLetters(q ReplayRequest, result *ReplayResult) (letters []store.DeadLetter, err error) {
	if len(q.IDs) == 0 {
		err = e.store.Letters(func(l store.DeadLetter) error {
			switch {
			case q.Match != nil && !q.Match(l):
			case l.Quarantined:
				result.Quarantined++
			default:
				letters = append(letters, l)
			}
			return nil
		})
	}
	for _, id := range q.IDs {
		l, readErr := e.store.Letter(id)
		if readErr != nil {
			return nil, fmt.Errorf("engine: replay %s: %w", id, readErr)
		}
		letters = append(letters, l)
	}
	if err != nil {
		return nil, fmt.Errorf("engine: replay: read the dead letters: %w", err)
	}
	result.Selected = len(letters)
	return letters, nil
}

// replayBatch sends letters that are durable together, and waits until they are committed.
func (e *Engine) replayBatch(ctx context.Context, q ReplayRequest, batch []store.DeadLetter, result *ReplayResult) error {
	waiter := newLetterWaiter(len(batch))
	rows := make([]*letterRow, len(batch))
	var list []incoming
	var failed error
	for i := range batch {
		in, err := e.replayLetter(q, &batch[i], waiter)
		if failed = err; err != nil {
			break
		}
		if rows[i] = in.letter; in.letter.skipped == "" {
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
	for i, l := range batch {
		e.letters.report(l, rows[i], result)
	}
	return failed
}

// replayLetter claims a letter and makes its injection, or says in the row why it is skipped.
func (e *Engine) replayLetter(q ReplayRequest, l *store.DeadLetter, waiter *letterWaiter) (incoming, error) {
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
		return incoming{letter: &letterRow{skipped: "it was replayed or deleted meanwhile"}}, nil
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
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-e.work.Done():
		return fmt.Errorf("engine: replay: the run ended first: %w", context.Cause(e.work))
	}
}

// report adds one letter to the result.
func (l *letterLedger) report(letter store.DeadLetter, row *letterRow, result *ReplayResult) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := ReplayedLetter{ID: letter.ID, Node: letter.Node, Before: LetterFault{Reason: letter.Reason}}
	if letter.Failure != nil {
		out.Before.Kind = letter.Failure.Kind
	}
	switch {
	case row == nil:
		result.Skipped++
		out.After, out.Failure.Reason = "skipped", "the run ended first"
	case row.skipped != "":
		result.Skipped++
		out.After, out.Failure.Reason = "skipped", row.skipped
	case !row.settled:
		result.Skipped++
		out.After, out.Failure.Reason = "skipped", "the run ended before it was committed"
	case row.failed:
		result.FailedAgain++
		out.After, out.Failure = "other", LetterFault{Kind: row.kind, Reason: row.reason}
		if out.Failure == out.Before {
			out.After = "same"
		}
	default:
		result.Committed++
		out.After = "fixed"
	}
	result.Letters = append(result.Letters, out)
}
