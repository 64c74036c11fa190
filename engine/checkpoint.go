package engine

import (
	"context"
	"errors"
	"time"

	"github.com/leat-run/leat/engine/commit"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// committer makes progress durable, on one goroutine:
//
//	frontier moved -> delete replayed letters -> checkpoint -> source positions -> sweep
//
// Steps that fail are caught up with by the next advance: a checkpoint that lags widens
// the replay after a crash and loses nothing.
type committer struct {
	engine *Engine
	// pending holds what the next successful checkpoint will let go: the latest position
	// of each source, nil where there is none.
	pending   []*commit.SourcePosition
	persisted runtime.Seq
	sweepAt   runtime.Seq // when dead letters past their retention are looked for again
	warned    time.Time
}

// sweepLetters bounds one sweep of dead letters past their retention.
const sweepLetters = 10_000

func newCommitter(e *Engine, checkpoint runtime.Seq) *committer {
	return &committer{
		engine: e, persisted: checkpoint, sweepAt: checkpoint,
		pending: make([]*commit.SourcePosition, len(e.plan.Sources)),
	}
}

// run commits whenever the frontier moved, until stop is closed, and once more then.
func (c *committer) run(stop <-chan struct{}) {
	for {
		select {
		case <-c.engine.moved:
			c.advance()
		case <-stop:
			c.advance()
			return
		}
	}
}

// advance takes what the tracker has. attempted moves even when the write failed, so that
// who waits for "committed" is not held up by a broken store: committed means that
// persistence was attempted.
func (c *committer) advance() {
	e := c.engine
	a, _ := e.tracker.Take()
	for _, p := range a.Positions {
		c.pending[p.Source] = &p
	}
	if a.Through > c.persisted {
		rows := e.letters.committed(a.Through)
		c.deleteLetters(rows)
		c.persist(a)
		e.letters.tell(rows)
	}
	if a.Through == c.persisted {
		c.handOver()
		c.sweep()
	}
	e.attempted.Store(uint64(a.Through))
	token(e.progress)
}

func (c *committer) persist(a commit.Advance) {
	err := c.engine.store.SetCheckpoint(store.Checkpoint{Through: a.Through, Balance: a.Balance.Balance})
	if err == nil {
		c.persisted = a.Through
		c.observe(a.Through)
		return
	}
	if errors.Is(err, store.ErrFailed) || errors.Is(err, store.ErrClosed) {
		c.engine.fail(FailureStore, "", err)
		return
	}
	if time.Since(c.warned) > time.Minute {
		c.warned = time.Now()
		c.engine.log.Warn("the checkpoint cannot be written: it is tried again with the next", "error", err)
	}
}

// observe tells how long what is now durable took.
func (c *committer) observe(through runtime.Seq) {
	o := c.engine.opt.Observer
	if o == nil {
		return
	}
	now := time.Now()
	for _, a := range c.engine.accepted.committed(through) {
		o.Committed(a.count, now.Sub(a.at))
	}
}

// handOver gives the source committers their positions: all of them are covered by the
// persisted checkpoint.
func (c *committer) handOver() {
	for i, p := range c.pending {
		if p != nil && i < len(c.engine.sources) {
			c.engine.sources[i].committer.through(p.Position)
			c.pending[i] = nil
		}
	}
}

// deleteLetters removes the letters whose replay is done, before the checkpoint that
// covers it: a crash in between replays the row, and the letter comes back if it fails.
func (c *committer) deleteLetters(rows []*letterRow) {
	var ids []string
	for _, r := range rows {
		if r.delete && !r.taken {
			ids = append(ids, r.id)
		}
	}
	if len(ids) == 0 {
		return
	}
	if err := c.engine.store.DeleteLetters(ids...); err != nil {
		c.engine.log.Warn("replayed dead letters cannot be deleted: they stay listed", "ids", ids, "error", err)
	}
}

// sweep removes dead letters past their retention, once per window of progress and
// bounded. A sweep that fails is left to the next.
func (c *committer) sweep() {
	retention := c.engine.plan.DLQ.Retention
	if retention <= 0 || c.persisted < c.sweepAt {
		return
	}
	c.sweepAt = c.persisted + runtime.Seq(max(c.engine.plan.Storage.SpoolRetention, 1000))
	if _, err := c.engine.store.DeleteLettersBefore(c.engine.now().Add(-retention), sweepLetters); err != nil {
		c.engine.log.Warn("old dead letters cannot be removed: tried again later", "error", err)
	}
}

// waitForRoom waits until the store takes rows again. The store itself gives up the committed
// rows that it keeps for replay: accepting new ones is worth more.
func (e *Engine) waitForRoom(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.intake, cancel)()
	return e.store.Unblocked(ctx)
}
