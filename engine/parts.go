package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// nodeParts is what Run opens, starts, waits for and closes.
type nodeParts struct {
	workers map[*transformNode][]*worker
	nodes   sync.WaitGroup // workers, partitioners, sinks
	feeding sync.WaitGroup // the replay and the sources
	stuck   bool           // some goroutine did not end: what it uses is not closed
}

// open makes every instance, sink and source. What was opened is in parts, also on error.
func (e *Engine) open(parts *nodeParts) (err error) {
	if e.unclean, err = e.endedBadly(); err != nil {
		return err
	}
	parts.workers = map[*transformNode][]*worker{}
	for _, t := range e.transforms {
		if parts.workers[t], err = t.newWorkers(e.work); err != nil {
			return err
		}
	}
	for _, s := range e.sinks {
		if err := s.open(); err != nil {
			return err
		}
	}
	if e.opt.Feed != nil {
		return nil
	}
	for _, s := range e.sources {
		if err := s.open(); err != nil {
			return err
		}
	}
	return nil
}

// start runs the nodes' goroutines.
func (p *nodeParts) start(e *Engine) {
	for _, t := range e.transforms {
		p.startTransform(t, p.workers[t])
	}
	for _, s := range e.sinks {
		p.run(e, s.node, func(ctx context.Context) error { return s.run(ctx) })
	}
}

func (p *nodeParts) startTransform(t *transformNode, workers []*worker) {
	if t.plan.PartitionBy != nil && len(workers) > 1 {
		partitioner := newPartitioner(t)
		p.run(t.engine, t.node, partitioner.run)
		for i, w := range workers {
			p.run(t.engine, t.node, func(ctx context.Context) error { return w.runPartition(ctx, partitioner.lanes[i]) })
		}
		return
	}
	for _, w := range workers {
		if t.sequencer != nil {
			p.run(t.engine, t.node, w.runOrdered)
		} else {
			p.run(t.engine, t.node, w.run)
		}
	}
}

// run owns one goroutine of a node. An error of it fails the run.
func (p *nodeParts) run(e *Engine, n *node, loop func(context.Context) error) {
	p.nodes.Go(func() {
		if err := loop(e.work); err != nil {
			e.fail(FailureWorker, n.name, err)
		}
	})
}

// wait returns false if something did not end in time.
func (p *nodeParts) wait(e *Engine) bool {
	p.stuck = !within(e.opt.Grace, func() { p.feeding.Wait(); p.nodes.Wait(); e.writer.wait() })
	return !p.stuck
}

// within reports whether wait returned in time. Its goroutine ends with what it waits for.
func within(limit time.Duration, wait func()) bool {
	done := make(chan struct{})
	go func() {
		wait()
		close(done)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// unlessFull runs a last write of the run. However slow the disk is, it is awaited; on one
// without room it is left behind after Options.Grace, since it would wait for ever: it
// ends with the store.
func (e *Engine) unlessFull(write func() error) error {
	if e.left.Load() {
		return nil
	}
	done := make(chan error, 1)
	go func() { done <- write() }()
	look := time.NewTicker(e.opt.Grace)
	defer look.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-look.C:
			if e.leaveIfFull() {
				return nil
			}
		}
	}
}

// leaveIfFull ends the waiting for a store that has no room, and reports whether it has none.
func (e *Engine) leaveIfFull() bool {
	reason, _ := e.store.Blocked()
	if reason == "" {
		return false
	}
	if !e.left.Swap(true) {
		e.log.Warn("the store has no room: what is not noted yet is left to the next run", "reason", reason)
	}
	return true
}

// close releases everything, in the order in which data flows: sources note their last
// position, sinks flush, instances go. It marks the run as ended well. What a goroutine
// that did not end may still use is not closed.
func (e *Engine) close(parts *nodeParts) {
	e.stopIntake(context.Canceled)
	e.stopWork(context.Canceled)
	var errs []error
	for _, s := range e.sources {
		s.stop()
		errs = append(errs, e.unlessFull(func() error { return s.settle(max(e.plan.Limits.DrainTimeout, time.Second)) }))
	}
	if !parts.stuck {
		for _, s := range e.sources {
			errs = append(errs, s.close())
		}
		for _, s := range e.sinks {
			errs = append(errs, s.close())
		}
		for _, t := range e.transforms {
			errs = append(errs, t.close(parts.workers[t]))
		}
	}
	if e.store.Err() == nil {
		errs = append(errs, e.unlessFull(e.endedWell))
	}
	if err := errors.Join(errs...); err != nil {
		e.fail(FailureWorker, "", fmt.Errorf("engine: close: %w", err))
	}
	e.end.setState(StateStopped)
}
