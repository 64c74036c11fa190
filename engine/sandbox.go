package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// Sandbox runs single steps of a plan on single messages: the same code under the same
// budgets as in a run, but without a store, without sources, and without writing to a sink.
// Nothing that it does can be seen from outside. It belongs to one goroutine.
type Sandbox struct {
	plan       *pipeline.Plan
	codecs     map[string]Codec
	candidates map[string]runtime.Module
	workers    map[string]*runtime.Worker
}

// NewSandbox makes a sandbox on a plan. The caller closes the plan after the sandbox.
func NewSandbox(plan *pipeline.Plan, codecs map[string]Codec) *Sandbox {
	return &Sandbox{
		plan: plan, codecs: codecs,
		candidates: map[string]runtime.Module{}, workers: map[string]*runtime.Worker{},
	}
}

// Replace runs a transform with a candidate's code instead of the plan's. The caller closes
// the module after the sandbox.
func (s *Sandbox) Replace(node string, candidate runtime.Module) { s.candidates[node] = candidate }

// Close releases the instances.
func (s *Sandbox) Close() error {
	var errs []error
	for _, w := range s.workers {
		errs = append(errs, w.Close())
	}
	clear(s.workers)
	return errors.Join(errs...)
}

// Step is what came of one message in one node.
type Step struct {
	Node string
	Role Role
	In   runtime.Message
	// Failure is set where the step failed, with its class (store.ClassTransform and the like).
	Failure *runtime.Failure
	Class   string
	// Out are the outputs of a transform, or the decoded message of a source. Null says that a
	// transform filtered the message by saying so.
	Out   []runtime.Message
	Null  bool
	Usage runtime.Usage
	// Record is what a sink would write.
	Record Record
}

// Role is a node's place in the graph.
type Role string

const (
	RoleSource    Role = "source"
	RoleTransform Role = "transform"
	RoleSink      Role = "sink"
)

// LetterMessage is the message of a dead letter as a replay brings it to its node.
func LetterMessage(l store.DeadLetter) runtime.Message {
	m := l.Message
	m.Meta = replayMeta(&m, l.ReplayCount+1, l.SpoolSeq)
	return m
}

// Step brings a message to a node: out of a source, where it is decoded; through a
// transform; up to a sink, where it is encoded and goes no further. What fails is in the
// Step; an error is the world's, or ErrUnknownNode.
func (s *Sandbox) Step(ctx context.Context, node string, m runtime.Message) (Step, error) {
	for _, source := range s.plan.Sources {
		if source.Name == node {
			return s.source(source, m), nil
		}
	}
	for _, t := range s.plan.Transforms {
		if t.Name == node {
			return s.transform(ctx, t, m)
		}
	}
	for _, sink := range s.plan.Sinks {
		if sink.Name == node {
			return s.sink(sink, m), nil
		}
	}
	return Step{}, fmt.Errorf("%w: %q", ErrUnknownNode, node)
}

func (s *Sandbox) source(source *pipeline.Source, m runtime.Message) Step {
	step := Step{Node: source.Name, Role: RoleSource, In: m}
	if m.Codec == "" {
		m.Codec = source.Decoder
	}
	if m.Source == "" {
		m.Source = source.Name
	}
	payload, err := decode(s.codecs, &m)
	if err != nil {
		step.Class = store.ClassDecode
		step.Failure = &runtime.Failure{
			Kind: runtime.KindInput, Deterministic: true, Message: runtime.Cut(err.Error(), runtime.MaxReason), Cause: err,
		}
		return step
	}
	m.Payload = payload
	step.Out = []runtime.Message{m}
	return step
}

func (s *Sandbox) transform(ctx context.Context, t *pipeline.Transform, m runtime.Message) (Step, error) {
	step := Step{Node: t.Name, Role: RoleTransform, In: m}
	if t.PartitionBy != nil && t.Workers > 1 {
		if _, err := t.PartitionBy.Key(s.view(m)); err != nil {
			step.Class, step.Failure = store.ClassPredicate, predicateFailure("partition_by", err)
			return step, nil
		}
	}
	w, err := s.worker(ctx, t)
	if err != nil {
		return step, err
	}
	result, err := w.Apply(ctx, m)
	step.Usage = result.Usage
	if failure, ok := asFailure(err); ok {
		step.Class, step.Failure = store.ClassTransform, failure
		return step, nil
	}
	if err != nil {
		return step, fmt.Errorf("engine: transform %s: %w", t.Name, err)
	}
	step.Out, step.Null = result.Out, result.Null
	for i := range step.Out {
		inherit(&step.Out[i], &m)
	}
	return step, nil
}

// worker is the node's instance, made on first use. A guest that does not start is the
// code's fault, not the message's.
func (s *Sandbox) worker(ctx context.Context, t *pipeline.Transform) (*runtime.Worker, error) {
	if w := s.workers[t.Name]; w != nil {
		return w, nil
	}
	module := t.Module
	if candidate := s.candidates[t.Name]; candidate != nil {
		module = candidate
	} else if t.Flavor == splitFlavor {
		module = splitModule{path: t.SplitPath}
	}
	w, err := runtime.NewWorker(ctx, module, runtime.Host{}, nil)
	if err != nil {
		return nil, fmt.Errorf("engine: transform %s: %w", t.Name, err)
	}
	s.workers[t.Name] = w
	return w, nil
}

func (s *Sandbox) sink(sink *pipeline.Sink, m runtime.Message) Step {
	step := Step{Node: sink.Name, Role: RoleSink, In: m, Record: Record{Message: m}}
	if sink.OrderKey != nil {
		key, err := sink.OrderKey.Key(s.view(m))
		if err != nil {
			step.Class, step.Failure = store.ClassPredicate, predicateFailure("order_key", err)
			return step
		}
		step.Record.OrderKey = key
	}
	record, err := s.codecs[sink.Encoder].Encode(m)
	if err != nil {
		step.Class = store.ClassEncode
		step.Failure = &runtime.Failure{
			Kind: runtime.KindOther, Deterministic: true, Message: runtime.Cut(err.Error(), runtime.MaxReason), Cause: err,
		}
		return step
	}
	step.Record.Bytes = record
	return step
}

func (s *Sandbox) view(m runtime.Message) *pipeline.View {
	return pipeline.NewView(s.plan.Constants, s.plan.Parameters, m)
}
