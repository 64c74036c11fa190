package engine

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// sourceCommitter tells one source how far it is committed and keeps the state that it
// returns, off the committing goroutine: a source may hold a lock of its own across emit.
// Positions coalesce to the latest; one whose commit failed is tried again with the next.
type sourceCommitter struct {
	name   string
	source Source
	store  *store.Store
	log    *slog.Logger
	rank   uint64
	wake   chan struct{}

	refused atomic.Int64 // commits that failed

	mu struct {
		sync.Mutex
		position runtime.Position
		pending  bool
	}
}

func newSourceCommitter(name string, source Source, st *store.Store, log *slog.Logger) *sourceCommitter {
	return &sourceCommitter{
		name: name, source: source, store: st, log: log, rank: firstRank(), wake: make(chan struct{}, 1),
	}
}

// firstRank starts a run's ranks above those of earlier runs on the same open store: a
// state of a lower rank would be taken for a late one and ignored. A clock will not do: it can
// be set back.
func firstRank() uint64 { return rankings.Add(1) << 32 }

// rankings counts the calls of firstRank in this process, which is as long as a store is open.
var rankings atomic.Uint64

// through says that everything up to p is committed. It does not wait.
func (c *sourceCommitter) through(p runtime.Position) {
	c.mu.Lock()
	c.mu.position, c.mu.pending = p, true
	c.mu.Unlock()
	token(c.wake)
}

// run commits until ctx ends.
func (c *sourceCommitter) run(ctx context.Context) {
	for {
		select {
		case <-c.wake:
			c.flush(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// flush commits what is pending and keeps it if that fails.
func (c *sourceCommitter) flush(ctx context.Context) {
	p, ok := c.take()
	if !ok {
		return
	}
	err := c.commit(ctx, p)
	if err == nil {
		return
	}
	c.giveBack(p)
	if ctx.Err() == nil {
		c.refused.Add(1)
		c.log.Warn("a source cannot note its progress: it is tried again with the next", "node", c.name, "error", err)
	}
}

func (c *sourceCommitter) commit(ctx context.Context, p runtime.Position) error {
	state, err := c.source.Commit(ctx, p)
	if err != nil || state == nil {
		return err
	}
	c.rank++
	return c.store.SetNodeState(c.name, c.rank, state)
}

func (c *sourceCommitter) take() (runtime.Position, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.mu.position, c.mu.pending
	c.mu.pending = false
	return p, ok
}

// giveBack keeps a position unless a later one came meanwhile.
func (c *sourceCommitter) giveBack(p runtime.Position) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.mu.pending {
		c.mu.position, c.mu.pending = p, true
	}
}
