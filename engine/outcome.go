package engine

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/leat-run/leat/engine/commit"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
)

// Status is how a run ended.
type Status string

const (
	StatusCompleted   Status = "completed"   // everything is committed
	StatusPartial     Status = "partial"     // the same, with dead letters
	StatusFailed      Status = "failed"      // the engine stopped itself
	StatusInterrupted Status = "interrupted" // the caller's context ended, or Drain was called
)

// FailureCause says why the engine stopped itself.
type FailureCause string

const (
	FailureStore  FailureCause = "store"  // the store failed: nothing after it can be promised
	FailureWorker FailureCause = "worker" // a node cannot go on
	FailureFlood  FailureCause = "flood"  // dlq.stop_after
	FailureSource FailureCause = "source" // a source failed
)

// Outcome is how a run ended, with the numbers of `leat run --json`.
type Outcome struct {
	Pipeline string
	Status   Status
	Mode     pipeline.Mode
	// Failure is the sentence to show; "" unless Status is failed. Cause and Node say where.
	Failure string
	Cause   FailureCause
	Node    string
	Err     error // for errors.Is

	Read, Replayed, Injected int64 // admissions of this run
	// Balance counts this run's committed messages and their branches; Total those since
	// the store was made. Both hold: Balance.Check.
	Balance, Total commit.Balance
	Adopted        int64 // emissions that were in the spool from an earlier run: not read again
	// Outstanding counts this run's admissions that are not committed: the next run replays
	// them, and what this one did not come to replay.
	Outstanding int
	Checkpoint  runtime.Seq
	Letters     int64 // dead letters written by this run
	Retries     int64
	Abandoned   int
	AbandonErr  error
	Duration    time.Duration
}

// State is what a run is doing.
type State string

const (
	StateStarting State = "starting"
	StateRunning  State = "running"
	StatePaused   State = "paused" // by Pause
	StateBlocked  State = "blocked"
	StateDraining State = "draining"
	StateStopped  State = "stopped"
)

var errRunTwice = errors.New("engine: an engine runs once")

// runEnd collects why a run ends. It is the only place that knows.
type runEnd struct {
	mu       sync.Mutex
	state    State
	started  bool
	canceled bool
	fatal    *runFailure // the first one that stops the nodes: store, worker, flood
	sources  []*runFailure
	left     int // abandoned
	leftErr  error
}

type runFailure struct {
	cause FailureCause
	node  string
	err   error
}

func (r *runEnd) init() { r.state = StateStarting }

func (r *runEnd) start() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.started {
		return errRunTwice
	}
	r.started = true
	return nil
}

// setState moves on; a state never goes back to an earlier one.
func (r *runEnd) setState(s State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	order := map[State]int{StateStarting: 0, StateRunning: 1, StateDraining: 2, StateStopped: 3}
	if order[s] > order[r.state] {
		r.state = s
	}
}

func (r *runEnd) cancel() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fatal == nil && len(r.sources) == 0 {
		r.canceled = r.state != StateStopped
	}
}

func (r *runEnd) abandoned(n int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left, r.leftErr = n, err
}

func (r *runEnd) failedSource(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.sources, func(f *runFailure) bool { return f.node == name })
}

// fail records why the engine stops itself; the first fatal one counts. A failed source
// stops the intake, and what is in flight is drained; anything else stops the nodes too.
func (e *Engine) fail(cause FailureCause, node string, err error) {
	f := &runFailure{cause: cause, node: node, err: err}
	e.end.mu.Lock()
	if cause == FailureSource {
		e.end.sources = append(e.end.sources, f)
	} else if e.end.fatal == nil {
		e.end.fatal = f
	}
	e.end.mu.Unlock()
	e.stopIntake(err)
	if cause != FailureSource {
		e.stopWork(err)
	}
}

// outcome is the one classification: a fatal failure, a failed source, the caller's
// cancel, dead letters, completed.
func (e *Engine) outcome(took time.Duration) Outcome {
	stats := e.tracker.Stats()
	o := Outcome{
		Pipeline: e.plan.Name, Mode: e.plan.Mode, Status: StatusCompleted,
		Read: e.read(), Replayed: e.replayed.Load(), Injected: e.injected.Load(), Adopted: e.adopted.Load(),
		Balance: stats.Balance.Minus(e.began), Total: stats.Balance,
		Outstanding: stats.Outstanding, Letters: e.written.total(), Retries: e.retries(), Duration: took,
	}
	if checkpoint, err := e.store.Checkpoint(); err == nil {
		o.Checkpoint = checkpoint.Through
	}
	e.end.mu.Lock()
	defer e.end.mu.Unlock()
	o.Abandoned, o.AbandonErr = e.end.left, e.end.leftErr
	switch {
	case e.end.fatal != nil:
		o.failed(e.end.fatal)
	case len(e.end.sources) > 0:
		o.failed(e.end.sources[0])
	case e.end.canceled:
		o.Status = StatusInterrupted
	case o.Letters > 0:
		o.Status = StatusPartial
	}
	return o
}

func (o *Outcome) failed(f *runFailure) {
	o.Status, o.Cause, o.Node, o.Err = StatusFailed, f.cause, f.node, f.err
	o.Failure = f.err.Error()
	if f.node != "" {
		o.Failure = fmt.Sprintf("%s: %s", f.node, f.err)
	}
}

// read is how many emissions were accepted.
func (e *Engine) read() (n int64) {
	for _, s := range e.sources {
		n += s.emitter.accepted.Load()
	}
	return n
}

func (e *Engine) retries() (n int64) {
	for _, node := range e.topology.order {
		n += node.counts.retries.Load()
	}
	return n
}
