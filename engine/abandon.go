package engine

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// Abandon dead-letters every message that is not finished, class canceled: the record
// first, then the tracker, so that the frontier never waits for what is given up. It is
// bounded by ctx: an error leaves the messages without a record uncommitted, for the next
// run to replay. It returns how many were abandoned.
//
// REQUIRES: the nodes ended, or the caller accepts that one of them still delivers.
func (e *Engine) Abandon(ctx context.Context, reason string) (int, error) {
	seqs := e.tracker.Outstanding(math.MaxInt)
	var done abandoned
	for _, seq := range seqs {
		give := func() { done.note(seq, e.abandon(seq, reason)) }
		if done.err(ctx) != nil || e.writer.start(ctx, give) != nil {
			break
		}
	}
	e.writer.wait()
	if err := done.err(ctx); err != nil && done.count < len(seqs) {
		return done.count, fmt.Errorf("engine: abandon: %d of %d messages: %w", done.count, len(seqs), err)
	}
	return done.count, nil
}

// abandoned counts what was given up.
type abandoned struct {
	mu     sync.Mutex
	count  int
	failed error // the first one
}

func (a *abandoned) note(seq runtime.Seq, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil {
		a.count++
	} else if a.failed == nil {
		a.failed = fmt.Errorf("message %d: %w", seq, err)
	}
}

// err is why there is nothing more to give up.
func (a *abandoned) err(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failed != nil {
		return a.failed
	}
	return ctx.Err()
}

func (e *Engine) abandon(seq runtime.Seq, reason string) error {
	row, err := e.store.ReadRow(seq)
	if err != nil {
		return err
	}
	now := e.now()
	letter := store.DeadLetter{
		ID: e.letterID(seq, row.Node, "", &row.Message), Pipeline: e.plan.Name, Node: row.Node, Class: store.ClassCanceled, Reason: reason,
		Attempts: 1, SpoolSeq: seq, RunID: e.opt.RunID, CreatedAt: now, FailedAt: now, Message: row.Message,
	}
	if row.Fault != nil {
		letter.PayloadLength = wholeOf(&row)
	}
	e.cutPayload(&letter)
	if err := e.again(&letter); err != nil {
		return err
	}
	if err := e.store.PutLetter(letter); err != nil {
		return err
	}
	e.letters.failedAgain(seq, letter.ID, row.Node, LetterFault{Reason: reason})
	e.written.add(row.Node, letter.Class, "")
	e.free(e.tracker.Force(seq))
	return nil
}
