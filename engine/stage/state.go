package stage

import (
	"fmt"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// Description is what a log keeps of a stage, and how that stands to its topics. Its JSON form is that
// of `leat stage describe --json`.
type Description struct {
	Stage      string          `json:"stage"`
	Entry      runtime.Entry   `json:"entry"`
	OnFailure  string          `json:"on_failure"`
	Partitions []TaskDescribed `json:"partitions"`
	Letters    int             `json:"dead_letters"`
}

// TaskDescribed is one partition's part.
type TaskDescribed struct {
	Partition int32             `json:"partition"`
	States    int               `json:"states"` // keys that a fold has a state for
	Held      int64             `json:"held"`
	Inputs    []ChannelDescribe `json:"inputs"`
	Outputs   []string          `json:"outputs"`
}

// ChannelDescribe is one input channel as the state knows it.
type ChannelDescribe struct {
	Topic    string `json:"topic"`
	Declared bool   `json:"declared"` // false: the document does not name it any more
	Gone     bool   `json:"gone"`     // there is no such topic any more
	Frontier int64  `json:"frontier"` // -1: nothing was delivered yet
	Position int64  `json:"position"`
	Start    int64  `json:"start"` // of the topic's partition
	End      int64  `json:"end"`
	Held     int64  `json:"held"`
}

// Describe reads what the log keeps of a stage. It changes nothing, and works while the stage runs.
func Describe(log *store.Log, plan *pipeline.Stage) (Description, error) {
	d := Description{Stage: plan.Name, Entry: plan.Entry, OnFailure: string(plan.OnFailure), Partitions: []TaskDescribed{}}
	partitions, err := log.TaskPartitions(plan.Name)
	if err != nil {
		return d, err
	}
	for _, p := range partitions {
		t, err := describeTask(log, plan, store.TaskID{Stage: plan.Name, Partition: p})
		if err != nil {
			return d, fmt.Errorf("stage %s, partition %d: %w", plan.Name, p, err)
		}
		d.Partitions = append(d.Partitions, t)
	}
	err = log.Letters(func(l store.DeadLetter) error {
		if l.Pipeline == plan.Name {
			d.Letters++
		}
		return nil
	})
	return d, err
}

// Describe is the Description of this stage, which may run.
func (s *Stage) Describe() (Description, error) { return Describe(s.log, s.plan) }

func describeTask(log *store.Log, plan *pipeline.Stage, id store.TaskID) (TaskDescribed, error) {
	d := TaskDescribed{Partition: id.Partition, Inputs: []ChannelDescribe{}, Outputs: []string{}}
	value, err := log.State(id, causal.KeyScope)
	if err != nil {
		return d, err
	}
	scope, err := causal.DecodeScope(value)
	if err != nil {
		return d, err
	}
	for _, c := range scope.Channels {
		in, err := describeChannel(log, plan, id, c)
		if err != nil {
			return d, err
		}
		d.Held += in.Held
		d.Inputs = append(d.Inputs, in)
	}
	for _, sink := range scope.Sinks {
		name := sink.String()
		if t, ok := log.TopicByID(store.TopicID(sink)); ok {
			name = t.Name
		}
		d.Outputs = append(d.Outputs, name)
	}
	err = log.Folds(id, func(_, _ []byte) error { d.States++; return nil })
	return d, err
}

func describeChannel(log *store.Log, plan *pipeline.Stage, id store.TaskID, c causal.Channel) (ChannelDescribe, error) {
	d := ChannelDescribe{Topic: c.Topic.String(), Gone: true, Frontier: -1}
	if t, ok := log.TopicByID(store.TopicID(c.Topic)); ok && int(c.Partition) < len(t.Extents) {
		d.Topic, d.Gone = t.Name, false
		d.Start, d.End = t.Extents[c.Partition].Start, t.Extents[c.Partition].End
		for _, in := range plan.Inputs {
			d.Declared = d.Declared || in.Topic == t.Name
		}
	}
	status, err := causal.ReadChannel(topic.State{Log: log, Task: id}, c)
	if err != nil {
		return d, err
	}
	if status.Seen {
		d.Frontier = status.Frontier
	}
	d.Held = status.Held
	d.Position, err = log.Position(id, store.TopicID(c.Topic), c.Partition)
	return d, err
}

// Reset forgets all that the log keeps of a stage but its dead letters, which then begins anew: with what its topics
// still hold, or at their ends where the document says so. REQUIRES: the stage does not run.
func Reset(log *store.Log, name string) error { return log.ForgetStage(name) }
