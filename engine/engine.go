package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/leat-run/leat/engine/commit"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// Engine executes one plan against one store, once.
type Engine struct {
	opt       Options
	plan      *pipeline.Plan
	store     *store.Store
	endpoints Endpoints
	log       *slog.Logger
	now       func() time.Time
	newID     func() string
	stamps    runtime.Meta

	gate     *Gate
	topology *topology
	tracker  *commit.Tracker
	letters  letterLedger
	writer   letterWriter
	ids      letterIDs
	failures floodgate

	sources    []*sourceNode
	transforms []*transformNode
	sinks      []*sinkNode

	// intake ends when nothing may enter any more; work ends when what is in flight is
	// given up. Both are the engine's own: a caller's cancel stops the intake only.
	intake     context.Context
	stopIntake context.CancelCauseFunc
	work       context.Context
	stopWork   context.CancelCauseFunc

	hurry     chan struct{} // closed when no sink should wait for a fuller batch
	hurryOnce sync.Once
	moved     chan struct{} // token: the frontier moved
	progress  chan struct{} // token: Run should look again

	admitting atomic.Int64  // admissions under way
	opened    atomic.Bool   // every source and sink is made
	fed       atomic.Bool   // replay and sources are over
	attempted atomic.Uint64 // the frontier up to which persistence was attempted
	began     commit.Balance
	last      runtime.Seq // the spool's end when the engine was made: what comes later is its own
	unclean   bool
	left      atomic.Bool // the run ended on a disk without room: what waits for it was left behind

	replayed, injected atomic.Int64 // admissions of this run, beside those of sources
	adopted            atomic.Int64 // emissions that were in the spool already
	written            letterCounts
	waitingLetters     atomic.Int64 // dead letters that cannot be written just now
	letterWarned       atomic.Int64
	pressure           backpressure
	hold               hold
	accepted           acceptances

	end runEnd // why the run ends
}

// New resolves the plan's names and reads the checkpoint. It starts nothing.
func New(opt Options) (*Engine, error) {
	if err := opt.validate(); err != nil {
		return nil, err
	}
	opt = opt.withDefaults()
	e := &Engine{
		opt: opt, plan: opt.Plan, store: opt.Store, endpoints: opt.Endpoints,
		log: opt.Log, now: opt.Now, newID: opt.NewID, stamps: opt.Stamps,
		gate: opt.Gate, topology: newTopology(opt.Plan), writer: newLetterWriter(),
		hurry: make(chan struct{}), moved: make(chan struct{}, 1), progress: make(chan struct{}, 1),
	}
	e.intake, e.stopIntake = context.WithCancelCause(context.Background())
	e.work, e.stopWork = context.WithCancelCause(context.Background())
	e.end.init()
	if err := e.resolve(); err != nil {
		return nil, err
	}
	checkpoint, err := e.store.Checkpoint()
	if err != nil {
		return nil, fmt.Errorf("engine: read the checkpoint: %w", err)
	}
	e.began, e.last = commit.Balance{Committed: uint64(checkpoint.Through), Balance: checkpoint.Balance}, e.store.LastSeq()
	e.tracker = commit.New(checkpoint.Through, e.began, len(e.plan.Sources))
	e.attempted.Store(uint64(checkpoint.Through))
	return e, nil
}

// resolve finds what the plan's names mean.
func (e *Engine) resolve() error {
	for i, s := range e.plan.Sources {
		if e.endpoints.Sources[s.Plugin] == nil {
			return fmt.Errorf("engine: source %s: there is no plugin %q", s.Name, s.Plugin)
		}
		if e.endpoints.Codecs[s.Decoder] == nil {
			return fmt.Errorf("engine: source %s: there is no codec %q", s.Name, s.Decoder)
		}
		e.sources = append(e.sources, e.newSource(i, s))
	}
	for _, t := range e.plan.Transforms {
		e.transforms = append(e.transforms, e.newTransform(t))
	}
	for _, s := range e.plan.Sinks {
		if e.endpoints.Sinks[s.Plugin] == nil {
			return fmt.Errorf("engine: sink %s: there is no plugin %q", s.Name, s.Plugin)
		}
		sink, err := e.newSink(s)
		if err != nil {
			return err
		}
		e.sinks = append(e.sinks, sink)
	}
	return nil
}

// Run executes the pipeline until it is done, ctx ends and what is in flight is drained,
// or it fails. It may be called once; it returns after every goroutine ended, but for a
// node that does not stop within Options.Grace, which the outcome then names.
func (e *Engine) Run(ctx context.Context) Outcome {
	started := time.Now()
	if err := e.end.start(); err != nil {
		return Outcome{Pipeline: e.plan.Name, Status: StatusFailed, Failure: err.Error()}
	}
	defer context.AfterFunc(ctx, func() { e.Drain() })()
	var parts nodeParts
	if err := e.open(&parts); err != nil {
		e.failedOpen(err)
	} else {
		e.execute(ctx, &parts)
	}
	e.close(&parts)
	return e.outcome(time.Since(started))
}

// Drain stops the intake and lets what is in flight end, within limits.drain_timeout. It
// does not wait; it is what a caller's cancel does.
func (e *Engine) Drain() {
	e.end.cancel()
	e.stopIntake(context.Canceled)
}

// execute is the run between open and close.
func (e *Engine) execute(ctx context.Context, parts *nodeParts) {
	e.opened.Store(true)
	checkpoint := runtime.Seq(e.attempted.Load())
	stopCommits := make(chan struct{})
	commits := newCommitter(e, checkpoint)
	var committing sync.WaitGroup
	committing.Go(func() { commits.run(stopCommits) })
	advice := newAdvisor(e)
	committing.Go(func() { advice.run(stopCommits) })
	parts.start(e)
	parts.feeding.Go(func() { e.feed(checkpoint) })
	e.end.setState(StateRunning)

	e.supervise()
	e.stop(ctx, parts)
	close(stopCommits)
	_ = e.unlessFull(func() error { committing.Wait(); return nil })
}

// feed replays what a crash left, then runs the sources, and returns when they ended.
func (e *Engine) feed(checkpoint runtime.Seq) {
	defer func() { e.fed.Store(true); token(e.progress) }()
	if err := e.replayCrash(checkpoint, e.last); err != nil {
		e.fail(FailureStore, "", err)
		return
	}
	switch {
	case e.intake.Err() != nil:
	case e.opt.Feed != nil:
		if err := e.opt.Feed(e.intake, e); err != nil && e.intake.Err() == nil {
			e.fail(FailureSource, "", err)
		}
	default:
		e.runSources()
	}
}

// finite reports whether the run ends by itself once it is fed.
func (e *Engine) finite() bool { return e.opt.Feed != nil || e.plan.Mode == pipeline.ModeBatch }

// supervise returns once everything is done, or what is in flight is to be given up.
func (e *Engine) supervise() {
	var timeout <-chan time.Time
	intake := e.intake.Done()
	for {
		ending := intake == nil || e.finite() && e.fed.Load()
		if ending {
			e.hurryOnce.Do(func() { close(e.hurry) })
		}
		if ending && e.quiesced() {
			if e.intake.Err() != nil {
				return
			}
			e.stopIntake(context.Canceled) // and once more: an injection may have come in meanwhile
			continue
		}
		select {
		case <-e.progress:
		case <-intake:
			intake = nil
			e.end.setState(StateDraining)
			timer := time.NewTimer(e.plan.Limits.DrainTimeout)
			defer timer.Stop()
			timeout = timer.C
		case <-timeout:
			e.log.Warn("the drain took too long: what is in flight is left to the next run", "timeout", e.plan.Limits.DrainTimeout)
			return
		case <-e.work.Done():
			return
		case <-e.store.Failed():
			e.fail(FailureStore, "", e.store.Err())
		}
	}
}

// quiesced reports whether nothing is on its way and what ended was written. It cannot be
// true while rows are being replayed, or an admission holds a slot and is not registered.
func (e *Engine) quiesced() bool {
	if !e.fed.Load() || e.admitting.Load() > 0 {
		return false
	}
	stats := e.tracker.Stats()
	return stats.Outstanding == 0 && e.attempted.Load() >= uint64(stats.Frontier)
}

// stop ends all goroutines of nodes and sources, in that order: nothing new, nothing
// more, and then whoever does not listen is named.
func (e *Engine) stop(ctx context.Context, parts *nodeParts) {
	e.stopIntake(context.Canceled)
	e.hurryOnce.Do(func() { close(e.hurry) })
	e.stopWork(context.Canceled)
	if !parts.wait(e) && !e.leaveIfFull() {
		e.fail(FailureWorker, "", errors.New("engine: a node or source does not stop: its goroutine is left behind"))
	}
	for _, t := range e.transforms {
		if t.sequencer != nil {
			t.sequencer.settle(e)
		}
	}
	if e.opt.AbandonOnCancel && ctx.Err() != nil {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.opt.AbandonTimeout)
		defer cancel()
		_ = e.unlessFull(func() error {
			e.end.abandoned(e.Abandon(bounded, "the run was canceled"))
			return nil
		})
	}
}

// onceAMinute says whether a remark that repeats may be logged.
func (e *Engine) onceAMinute(last *atomic.Int64) bool {
	now := time.Now().Unix()
	before := last.Load()
	return now-before >= warnEvery && last.CompareAndSwap(before, now)
}
