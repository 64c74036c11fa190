package engine

import (
	"context"
	"fmt"
	"math"

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
	for n, seq := range seqs {
		if err := ctx.Err(); err != nil {
			return n, fmt.Errorf("engine: abandon: %d of %d messages: %w", n, len(seqs), err)
		}
		if err := e.abandon(seq, reason); err != nil {
			return n, fmt.Errorf("engine: abandon message %d: %w", seq, err)
		}
	}
	return len(seqs), nil
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
	e.cutPayload(&letter)
	if err := e.store.PutLetter(letter); err != nil {
		return err
	}
	e.written.add(row.Node, letter.Class, "")
	e.free(e.tracker.Force(seq))
	return nil
}
