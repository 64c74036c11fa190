package stage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// task handles one partition of a stage. All but its snapshot belongs to the goroutine that runs it.
type task struct {
	stage    *Stage
	id       store.TaskID
	protocol *causal.Task
	stored   *stored
	worker   *runtime.Worker
	inputs   []*input
	step     step // the one at hand
	blocked  map[causal.Channel]*blockage
	member   *topic.Member
	requests chan request  // of others, run between steps
	over     chan struct{} // closed when the task does not run any more
	counts   Counts
	holding  holding

	shared struct {
		sync.Mutex
		snapshot
	}
}

// input is one channel that a task reads.
type input struct {
	channel causal.Channel
	next    atomic.Int64 // the offset to fetch next; read by Drain
	// fetched are read and not yet received.
	fetched []store.TopicRecord
	// written is the position as it was last written.
	written int64
}

// snapshot is what others may see of a task, as the last step left it.
type snapshot struct {
	counts  Counts
	holds   []Hold
	blocked []Blocked
}

func (t *task) prepare(start causal.Start) {
	t.blocked = map[causal.Channel]*blockage{}
	t.requests, t.over = make(chan request), make(chan struct{})
	t.member = t.stage.opt.Drain.Join(t.drained)
	t.step = step{task: t, folds: map[string][]byte{}}
	t.holding.since = map[causal.Coordinate]time.Time{}
	for _, at := range start.Fetch {
		in := &input{channel: at.Channel, written: -1}
		in.next.Store(at.Offset)
		t.inputs = append(t.inputs, in)
	}
	slices.SortFunc(t.inputs, func(a, b *input) int { return t.stage.declared(a) - t.stage.declared(b) })
	t.publish()
}

// declared is the input's place in the document: the order of arrival does not depend on the topics' ids.
func (s *Stage) declared(in *input) int {
	return slices.IndexFunc(s.plan.Inputs, func(i pipeline.StageInput) bool { return i.Topic == s.names[in.channel.Topic] })
}

func (t *task) close() error {
	t.member.Leave()
	if t.worker == nil { // it was only looked at
		return nil
	}
	return t.worker.Close()
}

// run works step by step until ctx ends, the stage drains or a batch is done.
func (t *task) run(ctx context.Context) error {
	s := t.stage
	defer close(t.over)
	defer t.member.Leave()
	watch := s.log.Watch()
	defer watch.Close()
	for _, in := range t.inputs {
		if err := watch.Add(store.TopicID(in.channel.Topic), in.channel.Partition); err != nil {
			return t.wrap(err)
		}
	}
	l := &loop{task: t, watch: watch, sweep: time.NewTicker(s.plan.TruncateEvery), timer: time.NewTimer(time.Hour)}
	defer l.sweep.Stop()
	defer l.timer.Stop()
	if err := t.commit(ctx); err != nil { // what the start changed
		return t.ended(ctx, err)
	}
	return t.ended(ctx, l.run(ctx))
}

// ended tells a failure from an end that was asked for.
func (t *task) ended(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return t.wrap(err)
}

func (t *task) wrap(err error) error {
	return fmt.Errorf("stage %s, partition %d: %w", t.id.Stage, t.id.Partition, err)
}

// drained says that all inputs are read to their ends. It is called by others.
func (t *task) drained() bool {
	for _, in := range t.inputs {
		tp, ok := t.stage.log.TopicByID(store.TopicID(in.channel.Topic))
		if ok && in.next.Load() < tp.Extents[in.channel.Partition].End {
			return false
		}
	}
	return true
}

// loop is what a running task waits for.
type loop struct {
	task  *task
	watch *store.Watch
	sweep *time.Ticker
	timer *time.Timer
}

func (l *loop) run(ctx context.Context) error {
	t := l.task
	for ctx.Err() == nil && !t.stage.isDraining() {
		worked, err := t.advance(ctx)
		if err != nil {
			return err
		}
		t.publish()
		if !worked {
			if over, err := l.wait(ctx); over || err != nil {
				return err
			}
		} else if err := l.serve(ctx); err != nil {
			return err
		}
	}
	return nil
}

// serve does one thing that is due beside the steps: a task that is never idle has to, too.
func (l *loop) serve(ctx context.Context) error {
	select {
	case <-l.sweep.C:
		return l.task.truncate()
	case work := <-l.task.requests:
		return work(ctx)
	default:
		return nil
	}
}

// wait is idle until there may be work again; over says that a batch is done.
func (l *loop) wait(ctx context.Context) (over bool, err error) {
	t, s := l.task, l.task.stage
	if t.settled() {
		t.member.Idle()
	}
	l.timer.Reset(t.patience())
	var done <-chan struct{}
	if s.plan.Mode == pipeline.ModeBatch {
		done = s.opt.Drain.Done()
	}
	var work request
	select {
	case <-ctx.Done():
	case <-s.draining:
	case <-done:
		return true, nil
	case <-l.watch.C:
	case <-l.timer.C:
	case <-l.sweep.C:
		work = func(context.Context) error { return t.truncate() }
	case work = <-t.requests:
	}
	t.member.Busy()
	if work != nil {
		err = work(ctx)
	}
	return false, err
}

// settled says that nothing but news from outside can give the task work: no blocked record is
// to be tried again.
func (t *task) settled() bool {
	for _, b := range t.blocked {
		if !b.stuck(t.stage.plan.Mode) {
			return false
		}
	}
	return true
}

// patience is how long to wait at most: for the next try, or to look at what is held.
func (t *task) patience() time.Duration {
	least := time.Hour
	if len(t.holding.since) > 0 {
		least = warnEvery
	}
	now := t.stage.opt.Now()
	for _, b := range t.blocked {
		if !b.stuck(t.stage.plan.Mode) {
			least = min(least, max(b.until.Sub(now), time.Millisecond))
		}
	}
	return least
}

// truncate forgets what no log holds any more. A sweep that fails skips its turn.
func (t *task) truncate() error {
	bounds, err := topic.Bounds(t.stage.log, t.protocol.Truncatable())
	if err != nil {
		t.counts.Skipped++
		t.stage.opt.Logger.Warn("stage: truncation skipped", "partition", t.id.Partition, "error", err)
		return nil
	}
	_, err = t.protocol.Truncate(bounds)
	return err
}

// publish lets others see how things are.
func (t *task) publish() {
	c := t.protocol.Counts()
	t.counts.Received, t.counts.Replays, t.counts.Held = c.Received, c.Replays, c.Held
	t.counts.Truncated, t.counts.StampLength = c.Truncated, int64(c.Stamp)
	now := snapshot{counts: t.counts, holds: t.holds(), blocked: t.blockages()}
	t.warnOfHolds(now.holds)
	t.shared.Lock()
	defer t.shared.Unlock()
	t.shared.snapshot = now
}

func (t *task) snapshot() snapshot {
	t.shared.Lock()
	defer t.shared.Unlock()
	return t.shared.snapshot
}
