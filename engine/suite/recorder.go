package suite

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
)

// recorder notes what one case's run sends to sinks and out of transforms, and what guests
// spend. It is safe for concurrent use.
type recorder struct {
	order  map[string]int    // place of a message among the injections, by id
	refuse map[string]string // error texts of sinks that refuse every write

	mu    sync.Mutex
	nodes map[string][]record
	fuel  map[string]spent // the most that a message took, by transform
}

// record is one message as it was captured.
type record struct {
	message runtime.Message
	bytes   []byte
}

// spent is fuel and whose it was.
type spent struct {
	fuel    int64
	message string
}

func newRecorder(injections []engine.Injection, refuse map[string]string) *recorder {
	r := &recorder{refuse: refuse, order: map[string]int{}, nodes: map[string][]record{}, fuel: map[string]spent{}}
	for i := range injections {
		r.order[injections[i].Message.ID] = i
	}
	return r
}

func (r *recorder) add(node string, m runtime.Message, text []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m.Payload = nil // bytes has it
	r.nodes[node] = append(r.nodes[node], record{message: m, bytes: bytes.Clone(text)})
}

func (r *recorder) spend(node, message string, fuel int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	most, ok := r.fuel[node]
	if !ok || fuel > most.fuel || fuel == most.fuel && r.order[message] < r.order[most.message] {
		r.fuel[node] = spent{fuel, message}
	}
}

// at returns what a node captured, in the order of the injections. Where messages of one
// injection may have come by several ways, their bytes decide.
func (r *recorder) at(plan *pipeline.Plan, node string) []record {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := slices.Clone(r.nodes[node])
	joined := joins(plan, node)
	slices.SortStableFunc(all, func(a, b record) int {
		first := cmp.Compare(r.order[a.message.ID], r.order[b.message.ID])
		if first == 0 && joined {
			return bytes.Compare(a.bytes, b.bytes)
		}
		return first
	})
	return all
}

// joins says whether several ways lead to a node.
func joins(plan *pipeline.Plan, node string) bool {
	var above []string
	for _, e := range plan.Edges {
		if e.To == node {
			above = append(above, e.From)
		}
	}
	return len(above) > 1 || len(above) == 1 && joins(plan, above[0])
}

// plan is the pipeline with its transforms under observation, and no sink that waits for company:
// a case has few messages. The modules stay the original's.
func (r *recorder) plan(original *pipeline.Plan) *pipeline.Plan {
	p := *original
	p.Mode = pipeline.ModeBatch
	p.Transforms = make([]*pipeline.Transform, len(original.Transforms))
	for i, t := range original.Transforms {
		observed := *t
		if t.Module != nil {
			observed.Module = recordedModule{Module: t.Module, node: t.Name, to: r}
		}
		p.Transforms[i] = &observed
	}
	p.Sinks = make([]*pipeline.Sink, len(original.Sinks))
	for i, s := range original.Sinks {
		single := *s
		single.BatchSize = 1
		p.Sinks[i] = &single
	}
	return &p
}

// recordedModule makes instances that note their outputs.
type recordedModule struct {
	runtime.Module
	node string
	to   *recorder
}

func (m recordedModule) Instantiate(ctx context.Context, host runtime.Host) (runtime.Transform, error) {
	t, err := m.Module.Instantiate(ctx, host)
	if err != nil {
		return nil, err
	}
	return recordedTransform{Transform: t, of: m}, nil
}

type recordedTransform struct {
	runtime.Transform
	of recordedModule
}

func (t recordedTransform) Apply(ctx context.Context, in runtime.Message) (runtime.Result, error) {
	result, err := t.Transform.Apply(ctx, in)
	t.of.to.spend(t.of.node, in.ID, result.Usage.Fuel)
	if err == nil {
		for _, out := range result.Out {
			out.ID = in.ID
			t.of.to.add(t.of.node, out, out.Payload)
		}
	}
	return result, err
}

// sinks replaces every sink of the plan by one that notes what it is given.
func (r *recorder) sinks(plan *pipeline.Plan) map[string]func(engine.SinkEnv) (engine.Sink, error) {
	out := map[string]func(engine.SinkEnv) (engine.Sink, error){}
	for _, s := range plan.Sinks {
		out[s.Plugin] = func(env engine.SinkEnv) (engine.Sink, error) {
			return recordedSink{node: env.Node, to: r}, nil
		}
	}
	return out
}

// sources stand for the plan's, which are not opened: the case feeds the run.
func sources(plan *pipeline.Plan) map[string]func(engine.SourceEnv) (engine.Source, error) {
	out := map[string]func(engine.SourceEnv) (engine.Source, error){}
	for _, s := range plan.Sources {
		out[s.Plugin] = func(engine.SourceEnv) (engine.Source, error) {
			return nil, errors.New("suite: sources are not opened in tests")
		}
	}
	return out
}

type recordedSink struct {
	node string
	to   *recorder
}

func (s recordedSink) Write(_ context.Context, batch []engine.Record) error {
	if why, ok := s.to.refuse[s.node]; ok {
		return errors.New(why)
	}
	for i := range batch {
		s.to.add(s.node, batch[i].Message, batch[i].Bytes)
	}
	return nil
}

func (recordedSink) Close() error { return nil }
