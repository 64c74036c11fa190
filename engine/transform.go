package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/leat-run/leat/engine/commit"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// transformNode runs one transform's workers. How messages reach a worker and how their
// results leave depends on what the node promises:
//
//	one worker, or order: none   inbox -> worker -> out
//	several, in order            inbox -> worker (any) -> sequencer -> out
//	several, partition_by        inbox -> partitioner -> worker of the key -> sequencer -> out
type transformNode struct {
	*node
	engine    *Engine
	plan      *pipeline.Transform
	module    runtime.Module
	sequencer *sequencer // nil where order does not need it
	near      nearBudget

	inChild struct { // the module for suspects, made on demand, shared by the workers
		sync.Mutex
		runtime.Module
	}
}

// worker is one goroutine with one instance.
type worker struct {
	node     *transformNode
	index    int
	instance *runtime.Worker
	suspects *runtime.Worker // runs in a child process; nil until a suspect comes
	call     *atomic.Uint64
	out      *outbox
	spent    time.Duration // in the guest since the last flush
	pace     time.Duration // of one message, smoothed
	batch    batch
}

const (
	// chunkDeliveries is how many messages a worker takes from its queue at once.
	chunkDeliveries = 64
	// flushAfter bounds how long results wait for others to go with them.
	flushAfter = time.Millisecond
	// flushBytes bounds the results that wait.
	flushBytes = 1 << 20
)

func (e *Engine) newTransform(tr *pipeline.Transform) *transformNode {
	t := &transformNode{node: e.topology.nodes[tr.Name], engine: e, plan: tr, module: tr.Module}
	if tr.Flavor == splitFlavor {
		t.module = splitModule{path: tr.SplitPath}
	}
	t.near.of(tr.Settings.Budget)
	if tr.Workers > 1 && tr.KeepOrder {
		t.sequencer = newSequencer(e.opt.ReorderWindow, e.opt.ReorderBytes)
	}
	return t
}

// newWorkers makes an instance per worker. A module that cannot start fails the run
// before any message.
func (t *transformNode) newWorkers(ctx context.Context) ([]*worker, error) {
	workers := make([]*worker, max(t.plan.Workers, 1))
	for i := range workers {
		w := &worker{node: t, index: i, call: &t.counts.calls[i], out: t.engine.newOutbox(&t.out)}
		instance, err := runtime.NewWorker(ctx, t.module, t.host(), t.recycled)
		if err != nil {
			_ = closeWorkers(workers[:i]) // the error at hand is the cause
			return nil, fmt.Errorf("engine: transform %s: %w", t.name, err)
		}
		w.instance = instance
		workers[i] = w
	}
	return workers, nil
}

func closeWorkers(workers []*worker) error {
	var errs []error
	for _, w := range workers {
		errs = append(errs, w.instance.Close())
		if w.suspects != nil {
			errs = append(errs, w.suspects.Close())
		}
	}
	return errors.Join(errs...)
}

// close releases the instances. REQUIRES: the workers ended.
func (t *transformNode) close(workers []*worker) error {
	err := closeWorkers(workers)
	if t.inChild.Module != nil {
		err = errors.Join(err, t.inChild.Close())
	}
	if err != nil {
		return fmt.Errorf("transform %s: %w", t.name, err)
	}
	return nil
}

// isolated returns the module that runs this node's code in a child process.
func (t *transformNode) isolated(ctx context.Context) (runtime.Module, error) {
	t.inChild.Lock()
	defer t.inChild.Unlock()
	if t.inChild.Module == nil {
		module, err := t.engine.opt.Isolated(ctx, t.plan)
		if err != nil {
			return nil, fmt.Errorf("engine: transform %s: make its child process: %v", t.name, err)
		}
		t.inChild.Module = module
	}
	return t.inChild.Module, nil
}

func (t *transformNode) recycled(reason runtime.Recycle) {
	if reason == runtime.RecycleMemory {
		t.counts.recycledMemory.Add(1)
	} else {
		t.counts.recycledFailure.Add(1)
	}
}

// host gives a guest its node's log.
func (t *transformNode) host() runtime.Host {
	if take := t.engine.opt.GuestLog; take != nil {
		return runtime.Host{Log: func(level, text string) { take(t.plan, level, text) }}
	}
	log := t.engine.log.With("node", t.name)
	return runtime.Host{Log: func(level, text string) { log.Log(context.Background(), slogLevel(level), text) }}
}

// run takes messages until ctx ends. An error is the world's: the node cannot go on.
func (w *worker) run(ctx context.Context) error {
	defer w.flush(ctx) // what ended, ended
	buf := make([]delivery, 0, chunkDeliveries)
	most := chunkDeliveries
	if w.node.plan.Workers > 1 {
		most = 1 // nobody shall wait for a message that is slow: that is what order: none is for
	}
	for {
		got, _, err := w.node.inbox.pop(ctx, buf[:0], most)
		if err != nil {
			return nil
		}
		for done := 0; done < len(got); {
			n := w.together(got[done:])
			if err := w.processAll(ctx, got[done:done+n]); err != nil {
				return stopped(ctx, err)
			}
			if done += n; w.due() {
				w.flush(ctx)
			}
		}
		w.flush(ctx)
		clear(got)
	}
}

// due says that what is collected must not wait for the rest of the chunk.
func (w *worker) due() bool { return w.spent > flushAfter || w.out.weight > flushBytes }

func (w *worker) flush(ctx context.Context) {
	_ = w.out.flush(ctx) // what is not queued stays uncommitted
	w.spent = 0
}

// process runs one message to its end in this node: outputs, a filter, or a dead letter.
// A nil error with nothing collected means that ctx ended first.
func (w *worker) process(ctx context.Context, d *delivery) error {
	result, err := w.apply(ctx, d)
	return w.conclude(ctx, d, result, err)
}

// conclude brings a message to its end of which result and err are the first attempt.
func (w *worker) conclude(ctx context.Context, d *delivery, result runtime.Result, err error) error {
	policy := d.edge.policy()
	for attempts := 1; ; attempts++ {
		if err == nil {
			w.succeed(d, result)
			return nil
		}
		failure, ok := asFailure(err)
		if !ok {
			return err
		}
		w.node.counts.failed.Add(1)
		if policy.afterGuest(failure, attempts) == DeadLetter {
			return w.deadLetter(d, failure, attempts, result.Usage)
		}
		w.node.counts.retries.Add(1)
		if w.node.sequencer == nil {
			w.flush(ctx) // others must not wait for this one's pause
		}
		if err := w.node.engine.pause(ctx, policy, attempts); err != nil {
			return err
		}
		result, err = w.apply(ctx, d)
	}
}

// apply is one attempt.
func (w *worker) apply(ctx context.Context, d *delivery) (runtime.Result, error) {
	if err := ctx.Err(); err != nil {
		return runtime.Result{}, err
	}
	w.call.Add(1)
	result, err := w.applyTo(ctx, d)
	w.call.Add(1)
	w.account(d, &result, err)
	return result, err
}

// account counts one call into the guest.
func (w *worker) account(d *delivery, result *runtime.Result, err error) {
	w.node.counts.in.Add(1)
	w.spent += result.Usage.Duration
	w.pace += (result.Usage.Duration - w.pace) / 8
	failure, _ := asFailure(err)
	w.observeCall(d, result.Usage, failure)
}

// succeed stamps the outputs and routes them. They carry their input's identity; what
// the guest wrote to reserved meta is ignored.
func (w *worker) succeed(d *delivery, result runtime.Result) {
	if len(result.Out) == 0 {
		ending := commit.NoOutput
		if result.Null {
			ending = commit.Null
		}
		w.out.end(d.seq, ending)
		return
	}
	for i := range result.Out {
		inherit(&result.Out[i], &d.msg)
	}
	w.node.counts.out.Add(int64(len(result.Out)))
	w.out.emit(d, result.Out)
}

func (w *worker) deadLetter(d *delivery, f *runtime.Failure, attempts int, usage runtime.Usage) error {
	return w.node.engine.deadLetter(&fault{
		seq: d.seq, msg: &d.msg, node: w.node.name, edge: d.edge, class: store.ClassTransform, failure: f,
		attempts: attempts, usage: usage, flavor: w.node.plan.Flavor, digest: w.node.module.Digest(),
	})
}

// asFailure tells a guest's fault from the world's.
func asFailure(err error) (*runtime.Failure, bool) {
	var f *runtime.Failure
	if errors.As(err, &f) {
		return f, true
	}
	return nil, false
}

// stopped turns an error that only says that the run ends into nil.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// pause waits between two attempts.
func (e *Engine) pause(ctx context.Context, p policy, attempts int) error {
	return sleep(ctx, p.pause(attempts, e.opt.BackoffBase, e.opt.BackoffCap))
}
