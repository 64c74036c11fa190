package suite

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/stage"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/store"
)

// runStage is Run for the suite of a stage.
func (s *Suite) runStage(ctx context.Context, opt Options) (result Result, err error) {
	result = Result{Suite: s.Name, File: s.File}
	plan, diagnostics := pipeline.LoadStage(ctx, s.Pipeline, s.loadOptions(opt.Load))
	if plan == nil {
		result.Diagnostics = diagnostics
		return result, nil
	}
	defer func() { err = errors.Join(err, plan.Close()) }()
	batch := *plan
	batch.Mode = pipeline.ModeBatch
	r := &runner{suite: s, opt: opt, stage: &batch, result: &result}
	for _, c := range s.Cases {
		s.bindStage(c, plan)
	}
	if result.Diagnostics = s.report.Sorted(); result.Invalid() {
		return result, nil
	}
	for _, c := range s.Cases {
		if opt.Keep != nil && !opt.Keep(c.Name) {
			continue
		}
		one, err := r.runStageCase(ctx, c)
		if err != nil {
			return result, fmt.Errorf("suite: case %s: %w", c.Name, err)
		}
		result.Cases = append(result.Cases, one)
	}
	if opt.Update && opt.Keep == nil {
		return result, r.removeStale()
	}
	return result, nil
}

// stageObserved is what the run of a stage's case showed.
type stageObserved struct {
	log       *store.Log
	outcome   stage.Outcome
	delivered []string
	letters   []store.DeadLetter
	arrived   map[string]bool // places of records that are not the stage's own
	fuel      spent
	lines     caseLog
}

func (r *runner) runStageCase(ctx context.Context, c *Case) (result CaseResult, err error) {
	started := time.Now()
	o := &stageObserved{arrived: map[string]bool{}}
	if o.log, err = store.OpenLog("", store.Options{Ephemeral: true, Now: func() time.Time { return r.suite.Now }}); err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, o.log.Close()) }()
	if err := r.arriveAll(ctx, c, o); err != nil {
		return result, err
	}
	diff, err := r.compareStage(c, o)
	return CaseResult{
		Name: c.Name, Line: c.Line, Diff: diff, Log: o.lines.text(), Duration: time.Since(started),
		Fuel: map[string]int64{string(r.stage.Entry): o.fuel.fuel},
	}, err
}

// arriveAll makes the topics, and lets the stage run dry before the first record and after each: what it
// delivers and holds then is a function of the order of arrival.
func (r *runner) arriveAll(parent context.Context, c *Case, o *stageObserved) error {
	ctx, cancel := context.WithTimeout(parent, r.suite.Timeout)
	defer cancel()
	for _, name := range topicsOf(r.stage) {
		if _, err := o.log.CreateTopic(store.TopicSpec{Name: name, Partitions: r.suite.Partitions}); err != nil {
			return err
		}
	}
	err := r.runDry(ctx, o)
	for i := 0; i < len(c.arrive) && err == nil && o.outcome.Err == nil && ctx.Err() == nil; i++ {
		if err = o.append(&c.arrive[i]); err == nil {
			err = r.runDry(ctx, o)
		}
	}
	return errors.Join(err, parent.Err())
}

// topicsOf are the topics that a stage names, each once.
func topicsOf(plan *pipeline.Stage) (names []string) {
	for _, in := range plan.Inputs {
		names = append(names, in.Topic)
	}
	for _, out := range plan.Outputs {
		if !slices.Contains(names, out.Topic) {
			names = append(names, out.Topic)
		}
	}
	return names
}

// runDry runs the stage until its inputs are drained.
func (r *runner) runDry(ctx context.Context, o *stageObserved) error {
	st, err := stage.New(ctx, stage.Options{
		Plan: r.stage, Log: o.log, Delivered: o.deliver,
		Logger: slog.New(slog.NewTextHandler(&o.lines, &slog.HandlerOptions{ReplaceAttr: withoutTime})),
	})
	if err == nil {
		o.outcome = st.Run(ctx)
	}
	return err
}

func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// deliver notes what the guest took. A case has few records: partitions may wait for one another.
func (o *stageObserved) deliver(d stage.Delivery) {
	o.lines.mu.Lock()
	defer o.lines.mu.Unlock()
	t, _ := o.log.TopicByID(store.TopicID(d.At.Channel.Topic))
	place := spotText(t.Name, d.At.Channel.Partition, d.At.Offset)
	if d.Usage.Fuel > o.fuel.fuel {
		o.fuel = spent{d.Usage.Fuel, place}
	}
	if d.Letter != nil {
		letter := *d.Letter
		letter.Message.ID = place
		o.letters = append(o.letters, letter)
		return
	}
	o.delivered = append(o.delivered, place)
}

// append lets one record arrive.
func (o *stageObserved) append(a *arrival) error {
	t, _ := o.log.Topic(a.topic.name)
	var claims []causal.Coordinate
	for _, p := range a.after {
		cause, _ := o.log.Topic(p.topic.name)
		claims = append(claims, causal.Coordinate{Channel: topic.ChannelOf(cause, p.partition), Offset: p.offset})
	}
	record, err := topic.Record{Key: a.key, Value: a.value, Headers: a.headers}.Stamped(causal.NewClock(claims...))
	if err != nil {
		return err
	}
	partition := a.partition
	if a.byKey {
		partition = store.PartitionOf(a.key, t.Partitions)
	}
	offset, err := o.log.AppendRecords(t.ID, partition, []store.TopicRecord{record})
	o.arrived[spotText(a.topic.name, partition, offset)] = true
	return err
}

// emitted are the records of a topic that the stage appended, by partition.
func (o *stageObserved) emitted(name string) (out []causal.Record, err error) {
	t, _ := o.log.Topic(name)
	for partition, extent := range t.Extents {
		for from := extent.Start; from < extent.End; {
			records, err := o.log.ReadRecords(t.ID, int32(partition), from, 1000)
			if err != nil {
				return nil, err
			}
			from += int64(len(records))
			for _, stored := range records {
				opened, err := topic.Fetched(topic.ChannelOf(t, int32(partition)), stored).Open()
				if err != nil {
					return nil, err
				}
				if !o.arrived[spotText(name, int32(partition), opened.Offset)] {
					out = append(out, opened)
				}
			}
		}
	}
	return out, nil
}

// states are the fold's, by key.
func (o *stageObserved) states(name string) (map[string][]byte, error) {
	out := map[string][]byte{}
	partitions, err := o.log.TaskPartitions(name)
	for _, p := range partitions {
		err = errors.Join(err, o.log.Folds(store.TaskID{Stage: name, Partition: p}, func(fold, value []byte) error {
			key, err := causal.ParseFoldKey(fold)
			if err == nil && key != nil {
				out[string(key)] = slices.Clone(value)
			}
			return err
		}))
	}
	return out, err
}

// ended says why a case gave no result; "" where it did.
func (o *stageObserved) ended(limit time.Duration) string {
	switch o.outcome.Status {
	case engine.StatusFailed:
		return "the run failed: " + o.outcome.Failure
	case engine.StatusInterrupted:
		return fmt.Sprintf("the case did not end within its timeout of %s", limit)
	default:
		return ""
	}
}
