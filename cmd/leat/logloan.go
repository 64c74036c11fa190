package main

import (
	"context"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/control"
	"github.com/leat-run/leat/store"
)

// Bounds of a loan: all are well below logPatience, so that whoever waits for the log gets it.
const (
	// loanIdle is how long the log is kept with nothing to do.
	loanIdle = 100 * time.Millisecond
	// loanMost is how long it is kept by a verb that always has something to do, but for the call at hand.
	loanMost = time.Second
	// loanPause is how long it is then left to others, who look every logRetry.
	loanPause = 5 * logRetry
)

// logLoan are the log's topics for a verb whose input or output may be slow: the log, or the way to its owner, is taken
// for a call, kept while calls follow, and given back.
type logLoan struct {
	take     func() (*logAccess, error)
	giveBack func(*logAccess)

	mu     sync.Mutex
	access *logAccess // nil: not taken
	since  time.Time
	idle   *time.Timer // ends the loan; one that fires late finds nothing taken
}

var _ control.Topics = (*logLoan)(nil)

// borrowLog takes the log at once, so that what is wrong with it is said before any input is read. make says that one
// that is not there is to be made.
func borrowLog(c *cli.Context, make bool) (*logLoan, error) {
	l := &logLoan{
		take:     func() (*logAccess, error) { return openLogAccess(c, make) },
		giveBack: (*logAccess).close,
	}
	_, err := lent(c.Context, l, func(control.Topics) (struct{}, error) { return struct{}{}, nil })
	return l, err
}

// lent makes one call on the topics, wherever they are by now.
func lent[A any](ctx context.Context, l *logLoan, call func(control.Topics) (A, error)) (a A, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.ensure(ctx); err != nil {
		return a, err
	}
	a, err = call(l.access.topics())
	if l.access.run != nil {
		l.end() // the run may be over before the next call
		return a, err
	}
	l.idle.Reset(loanIdle)
	return a, err
}

// ensure has the log taken, and not for too long.
func (l *logLoan) ensure(ctx context.Context) (err error) {
	if l.access != nil && time.Since(l.since) >= loanMost {
		l.end()
		select {
		case <-time.After(loanPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if l.access != nil {
		return nil
	}
	if l.access, err = l.take(); err != nil {
		return err
	}
	l.since = time.Now()
	if l.idle == nil {
		l.idle = time.AfterFunc(loanIdle, l.close)
	}
	return nil
}

func (l *logLoan) end() {
	if l.idle != nil {
		l.idle.Stop()
	}
	if l.access != nil {
		l.giveBack(l.access)
		l.access = nil
	}
}

// close gives the log back. The next call takes it again.
func (l *logLoan) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end()
}

// List: see control.Topics, as for all that follow.
func (l *logLoan) List(ctx context.Context) ([]store.Topic, error) {
	return lent(ctx, l, func(t control.Topics) ([]store.Topic, error) { return t.List(ctx) })
}

// Create: see List.
func (l *logLoan) Create(ctx context.Context, spec store.TopicSpec) (store.Topic, error) {
	return lent(ctx, l, func(t control.Topics) (store.Topic, error) { return t.Create(ctx, spec) })
}

// Delete: see List.
func (l *logLoan) Delete(ctx context.Context, name string) error {
	_, err := lent(ctx, l, func(t control.Topics) (struct{}, error) { return struct{}{}, t.Delete(ctx, name) })
	return err
}

// Read: see List.
func (l *logLoan) Read(ctx context.Context, at control.ReadAt) ([]store.TopicRecord, error) {
	return lent(ctx, l, func(t control.Topics) ([]store.TopicRecord, error) { return t.Read(ctx, at) })
}

// Append: see List.
func (l *logLoan) Append(ctx context.Context, a control.Append) ([]control.Place, error) {
	return lent(ctx, l, func(t control.Topics) ([]control.Place, error) { return t.Append(ctx, a) })
}
