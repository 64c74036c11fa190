package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/leat-run/leat/engine/pipeline"
)

// sourceNode is one source, its way in and its committer.
type sourceNode struct {
	engine    *Engine
	plan      *pipeline.Source
	source    Source
	emitter   *emitter
	committer *sourceCommitter
	stop      context.CancelFunc // ends the committer
	ended     sync.WaitGroup
}

// pullMost bounds one Pull.
const pullMost = 256

func (e *Engine) newSource(index int, s *pipeline.Source) *sourceNode {
	return &sourceNode{engine: e, plan: s, stop: func() {}, emitter: &emitter{
		engine: e, name: s.Name, index: index, codec: s.Decoder,
	}}
}

// open makes the source from its state and starts its committer.
func (s *sourceNode) open() error {
	state, err := s.engine.store.NodeState(s.plan.Name)
	if err != nil {
		return &nodeError{s.plan.Name, fmt.Errorf("read its state: %w", err)}
	}
	log := s.engine.log.With("node", s.plan.Name)
	s.source, err = s.engine.endpoints.Sources[s.plan.Plugin](SourceEnv{
		Node: s.plan.Name, Config: s.plan.Config, Log: log, State: state, Stdin: s.engine.opt.Stdin,
	})
	if err != nil {
		return &nodeError{s.plan.Name, err}
	}
	s.committer = newSourceCommitter(s.plan.Name, s.source, s.engine.store, log)
	if err := s.begin(); err != nil {
		return &nodeError{s.plan.Name, err}
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.ended.Go(func() { s.committer.run(ctx) })
	return nil
}

// begin keeps where the source begins. It does not wait: the write is in front of the first emission's.
func (s *sourceNode) begin() error {
	starter, ok := s.source.(Starter)
	if !ok {
		return nil
	}
	state, err := starter.Start(s.engine.intake)
	if err == nil && state != nil {
		s.engine.store.SaveNodeState(s.plan.Name, state)
	}
	return err
}

// nodeError is the fault of a node that does not open.
type nodeError struct {
	node string
	err  error
}

func (e *nodeError) Error() string { return e.node + ": " + e.err.Error() }
func (e *nodeError) Unwrap() error { return e.err }

// failedOpen ends a run that has not begun. A node's fault reads as it does in a run.
func (e *Engine) failedOpen(err error) {
	var of *nodeError
	if errors.As(err, &of) {
		e.fail(FailureWorker, of.node, of.err)
		return
	}
	e.fail(FailureWorker, "", err)
}

// settle notes the last position once the committer ended, with a fresh and bounded
// context: the run's is over, and a canceled commit would discard it. REQUIRES: stop.
func (s *sourceNode) settle(limit time.Duration) error {
	if s.source == nil {
		return nil
	}
	if !within(limit, s.ended.Wait) {
		return fmt.Errorf("source %s does not finish its commit", s.plan.Name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	s.committer.flush(ctx)
	return nil
}

// close releases the source. REQUIRES: Run returned, settle was called.
func (s *sourceNode) close() error {
	if s.source == nil {
		return nil
	}
	if err := s.source.Close(); err != nil {
		return fmt.Errorf("source %s: %w", s.plan.Name, err)
	}
	return nil
}

// runSources runs all sources to their end. One that fails stops the run in every mode.
func (e *Engine) runSources() {
	var running sync.WaitGroup
	for _, s := range e.sources {
		running.Go(func() {
			if err := s.run(e.intake); err != nil && e.intake.Err() == nil {
				e.fail(FailureSource, s.plan.Name, err)
			}
		})
	}
	running.Wait()
}

func (s *sourceNode) run(ctx context.Context) error {
	if p, ok := s.source.(Puller); ok {
		return s.pull(ctx, p)
	}
	return s.source.Run(ctx, s.emitter.emit)
}

// pull drives a source that is asked.
func (s *sourceNode) pull(ctx context.Context, p Puller) error {
	for {
		group, err := p.Pull(ctx, pullMost)
		if len(group) > 0 {
			if emitErr := s.emitter.emit(ctx, group); emitErr != nil {
				return emitErr
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// open makes the sink.
func (s *sinkNode) open() error {
	state, err := s.engine.store.NodeState(s.name)
	if err != nil {
		return &nodeError{s.name, fmt.Errorf("read its state: %w", err)}
	}
	s.sink, err = s.engine.endpoints.Sinks[s.plan.Plugin](SinkEnv{
		Node: s.name, Config: s.plan.Config, Log: s.engine.log.With("node", s.name), State: state,
		SaveState: func(state []byte) { s.engine.store.SaveNodeState(s.name, state) },
		Stdout:    s.engine.opt.Stdout,
	})
	if err != nil {
		return &nodeError{s.name, err}
	}
	return nil
}

// close flushes and releases the sink. REQUIRES: run returned.
func (s *sinkNode) close() error {
	if s.sink == nil {
		return nil
	}
	if err := s.sink.Close(); err != nil {
		return fmt.Errorf("sink %s: %w", s.name, err)
	}
	return nil
}
