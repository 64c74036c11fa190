package stage

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/store"
)

// ErrStart is part of every error of New that the operator can do something about: the message
// says what.
var ErrStart = errors.New("the stage cannot start")

// Start tells what New found, over all partitions.
type Start struct {
	Fresh       bool // there was no state
	Held        int64
	Joined      []causal.Joined
	Left        []causal.Departed
	FormerSinks []causal.Departed
	Lost        []causal.Gap // accepted by AcceptLoss
}

// New finds the topics, holds the stored state against the document, and makes a task for
// each partition. What would lose or reorder records is refused with an ErrStart, for all partitions
// at once. The stage is the caller's to Run or Close.
func New(ctx context.Context, o Options) (*Stage, error) {
	return build(o, func(t *task) error { return t.startGuest(ctx) })
}

// build makes the stage with its tasks; guest is to give each its guest.
func build(o Options, guest func(*task) error) (*Stage, error) {
	o = o.withDefaults()
	s := &Stage{
		opt: o, plan: o.Plan, log: o.Log, draining: make(chan struct{}),
		names: map[causal.TopicID]string{}, decoder: map[causal.TopicID]string{}, outputs: map[string]store.Topic{},
	}
	inputs, err := s.findTopics()
	if err != nil {
		return nil, err
	}
	var refused error
	for p := range inputs[0].Partitions {
		t, err := s.newTask(inputs, int32(p), guest)
		if err == nil {
			s.tasks = append(s.tasks, t)
		}
		refused = errors.Join(refused, err)
	}
	if refused != nil {
		return nil, errors.Join(refused, s.Close())
	}
	s.announce()
	return s, nil
}

// findTopics looks up what the document names, and checks that the inputs go together.
func (s *Stage) findTopics() (inputs []store.Topic, err error) {
	var missing error
	find := func(name string, line int) store.Topic {
		t, ok := s.log.Topic(name)
		if !ok {
			missing = errors.Join(missing, fmt.Errorf("%w: %s:%d: there is no topic %s; create it: leat topic create %s --partitions N", ErrStart, s.plan.File, line, name, name))
		}
		return t
	}
	for _, in := range s.plan.Inputs {
		t := find(in.Topic, in.Line)
		inputs = append(inputs, t)
		s.names[causal.TopicID(t.ID)], s.decoder[causal.TopicID(t.ID)] = in.Topic, in.Decoder
	}
	for _, out := range s.plan.Outputs {
		s.outputs[out.Topic] = find(out.Topic, out.Line)
	}
	if missing != nil {
		return nil, missing
	}
	return inputs, s.checkPartitions(inputs)
}

// checkPartitions: records of one key must meet in one task, so that inputs are split alike.
func (s *Stage) checkPartitions(inputs []store.Topic) error {
	for i, t := range inputs {
		if t.Partitions != inputs[0].Partitions {
			return fmt.Errorf("%w: %s:%d: %s has %d partitions, but %s has %d; the inputs of a stage are split alike: make one of them anew", ErrStart,
				s.plan.File, s.plan.Inputs[i].Line, t.Name, t.Partitions, inputs[0].Name, inputs[0].Partitions)
		}
	}
	return s.checkTasks(inputs)
}

// checkTasks: with another number of partitions keys would meet in other tasks than those that have their states. A
// topic keeps its number, so that this takes other topics; where one of the former is still read, the state of some tasks is missing
// only because a first start was interrupted.
func (s *Stage) checkTasks(inputs []store.Topic) error {
	known, err := s.log.TaskPartitions(s.plan.Name)
	if err != nil || len(known) == 0 {
		return err
	}
	last := int(known[len(known)-1])
	if last+1 == inputs[0].Partitions {
		return nil
	}
	if last < inputs[0].Partitions {
		if same, err := s.stillReads(store.TaskID{Stage: s.plan.Name, Partition: known[0]}, inputs); same || err != nil {
			return err
		}
	}
	return fmt.Errorf("%w: there is state for %d partitions, but the inputs have %d partitions now: their topics are other ones; either bring the former topics back, or reset the stage: leat stage reset %s",
		ErrStart, last+1, inputs[0].Partitions, s.plan.File)
}

// stillReads says whether a task's stored scope has one of the inputs.
func (s *Stage) stillReads(id store.TaskID, inputs []store.Topic) (bool, error) {
	value, err := s.log.State(id, causal.KeyScope)
	if err != nil || value == nil {
		return false, err
	}
	scope, err := causal.DecodeScope(value)
	if err != nil {
		return false, fmt.Errorf("stage: partition %d: %w", id.Partition, err)
	}
	return slices.ContainsFunc(inputs, func(t store.Topic) bool { return scope.Consumes(topic.ChannelOf(t, id.Partition)) }), nil
}

// declaration is what the document says for one partition.
func (s *Stage) declaration(id store.TaskID, inputs []store.Topic) (d causal.Declaration, err error) {
	d.AcceptLoss = s.opt.AcceptLoss
	for i, t := range inputs {
		in := causal.Input{Channel: topic.ChannelOf(t, id.Partition)}
		if s.plan.Inputs[i].Start == pipeline.StartLatest {
			in.Origin = causal.Latest
		}
		if in.Position, err = s.log.Position(id, t.ID, id.Partition); err != nil {
			return d, err
		}
		d.Inputs = append(d.Inputs, in)
	}
	for _, out := range s.plan.Outputs {
		d.Sinks = append(d.Sinks, causal.TopicID(s.outputs[out.Topic].ID))
	}
	return d, nil
}

func (s *Stage) newTask(inputs []store.Topic, partition int32, guest func(*task) error) (*task, error) {
	t := &task{stage: s, id: store.TaskID{Stage: s.plan.Name, Partition: partition}}
	d, err := s.declaration(t.id, inputs)
	if err != nil {
		return nil, err
	}
	var start causal.Start
	t.stored = &stored{log: s.log, id: t.id}
	if t.protocol, start, err = causal.Restore(d, t.stored, topic.View{Log: s.log}); err != nil {
		var refused *causal.StartError
		if errors.As(err, &refused) {
			err = fmt.Errorf("%w: %w", ErrStart, err)
		}
		return nil, err
	}
	s.add(start)
	if err := guest(t); err != nil {
		return nil, err
	}
	t.prepare(start)
	return t, nil
}

func (s *Stage) add(start causal.Start) {
	all := &s.started
	all.Fresh = start.Fresh
	all.Held += start.Held
	all.Joined = append(all.Joined, start.Joined...)
	all.Left = append(all.Left, start.Left...)
	all.FormerSinks = append(all.FormerSinks, start.FormerSinks...)
	all.Lost = append(all.Lost, start.Lost...)
}

// announce logs what a start changed, so that no change of scope goes unnoticed.
func (s *Stage) announce() {
	log := s.opt.Logger
	for _, d := range s.started.Left {
		log.Warn("stage: an input left: its past is carried in every clock from here on", "topic", s.topicName(d.Channel.Topic), "partition", d.Channel.Partition, "gone", d.Gone)
	}
	for _, d := range s.started.FormerSinks {
		log.Warn("stage: an output left: what it holds is carried in every clock from here on", "topic", s.topicName(d.Channel.Topic), "gone", d.Gone)
	}
	for _, g := range s.started.Lost {
		log.Warn("stage: records are lost, as accepted", "topic", s.topicName(g.Channel.Topic), "partition", g.Channel.Partition, "from", g.From, "through", g.Through)
	}
	if s.started.Fresh {
		return
	}
	for _, j := range s.started.Joined {
		log.Warn("stage: an input joined", "topic", s.topicName(j.Channel.Topic), "partition", j.Channel.Partition, "known", j.Known, "after", j.Seed)
	}
}

func (s *Stage) guestLog(partition int32) func(level, text string) {
	return func(level, text string) {
		s.opt.Logger.Info("guest", "partition", partition, "level", level, "text", text)
	}
}
