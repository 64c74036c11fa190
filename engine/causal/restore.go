package causal

import (
	"errors"
	"fmt"
)

// Restore makes a task from its stored state, and reconciles that with what is declared now. It
// is the only way to make one: an empty store is a first start. It reads, and writes nothing: what
// the start changes is in the first Flush, and doing it again after a crash comes to the same.
//
// A start that would lose or reorder something is refused with one *StartError per channel concerned.
func Restore(d Declaration, stored Reader, log Log) (*Task, Start, error) {
	if err := d.validate(); err != nil {
		return nil, Start{}, err
	}
	s := &starting{
		declared: d,
		log:      log,
		topics:   make(map[TopicID]known),
		task:     &Task{stored: stored, scope: d.scope(), on: make(map[Channel]*input)},
	}
	for _, phase := range []func() error{
		s.loadScope, s.depart, s.leaveSinks, s.join, s.checkExtents, s.ownOutputs, s.openGates,
	} {
		if err := phase(); err != nil {
			return nil, Start{}, err
		}
	}
	return s.task, s.report, nil
}

// starting is a Restore under way.
type starting struct {
	declared Declaration
	former   Scope
	log      Log
	topics   map[TopicID]known
	task     *Task
	report   Start
}

// known is a topic that was looked up.
type known struct {
	Topic
	exists bool
}

func (s *starting) topic(id TopicID) (known, error) {
	if k, ok := s.topics[id]; ok {
		return k, nil
	}
	topic, exists, err := s.log.Topic(id)
	if err != nil {
		return known{}, fmt.Errorf("causal: look up topic %s: %w", id, err)
	}
	s.topics[id] = known{topic, exists}
	return s.topics[id], nil
}

// loadScope reads the scope and the carried ancestry, and makes the inputs that stay.
func (s *starting) loadScope() error {
	t := s.task
	value, err := t.stored.Get(KeyScope)
	if err != nil {
		return fmt.Errorf("causal: read %s: %w", KeyScope, err)
	}
	if s.report.Fresh = value == nil; !s.report.Fresh {
		if s.former, err = DecodeScope(value); err != nil {
			return &StateError{KeyScope, err}
		}
	}
	t.scopeChanged = s.report.Fresh || !s.former.Equal(t.scope)
	if t.carried, err = loadClock(t.stored, KeyCarried); err != nil {
		return err
	}
	for _, channel := range t.scope.Channels {
		in := &input{channel: channel, queue: queue{channel: channel}}
		if s.former.Consumes(channel) {
			if err := in.load(t.stored); err != nil {
				return err
			}
		}
		t.inputs, t.on[channel] = append(t.inputs, in), in
		s.report.Held += in.queue.len()
	}
	return nil
}

// checkExtents holds each position against what the log still has, and settles where to fetch.
func (s *starting) checkExtents() error {
	var refused error
	for _, in := range s.task.inputs {
		topic, err := s.topic(in.channel.Topic)
		if err != nil {
			return err
		}
		extent, ok := topic.extent(in.channel.Partition)
		if !ok || !topic.exists {
			refused = errors.Join(refused, s.refuse(in.channel, NoTopic, 0, 0))
			continue
		}
		refused = errors.Join(refused, s.place(in, extent))
	}
	return refused
}

func (s *starting) place(in *input, extent Extent) error {
	switch position := in.position; {
	case in.seen && position > extent.End:
		return s.refuse(in.channel, PastEnd, position, extent.End)
	case position >= extent.Start:
	case in.seen && s.former.Consumes(in.channel):
		if !s.declared.AcceptLoss {
			return s.refuse(in.channel, BehindRetention, position, extent.Start)
		}
		s.report.Lost = append(s.report.Lost, Gap{in.channel, position, extent.Start - 1})
		in.skipTo(extent.Start)
	default: // nobody can fetch what is below the start any more: a claim on it must not wait for that
		in.skipTo(extent.Start)
	}
	s.report.Fetch = append(s.report.Fetch, Coordinate{in.channel, in.position})
	return nil
}

// ownOutputs claims all that the sinks hold: at least everything that the stage ever appended.
func (s *starting) ownOutputs() error {
	var refused error
	for _, id := range s.task.scope.Sinks {
		topic, err := s.topic(id)
		if err != nil {
			return err
		}
		if !topic.exists {
			refused = errors.Join(refused, s.refuse(Channel{Topic: id}, NoTopic, 0, 0))
			continue
		}
		s.task.own.merge(topic.ends(id))
	}
	return refused
}

// openGates reads the heads, and gates them when all frontiers are known.
func (s *starting) openGates() error {
	t := s.task
	t.past = t.union()
	for _, in := range t.inputs {
		if !in.queue.empty() {
			if err := t.promote(in); err != nil {
				return err
			}
		}
	}
	return nil
}

var waysOut = map[Reason][]string{
	HeldOnDeparting: {"declare the input again until its records are delivered", "reset the stage, which forgets its state"},
	BehindRetention: {"accept the loss with the flag for it, which skips them and counts them", "reset the stage, which begins anew"},
	PastEnd:         {"bring back the log as it was", "reset the stage, which begins anew"},
	NoTopic:         {"create it", "take it out of the declaration"},
}

func (s *starting) refuse(c Channel, why Reason, position, bound int64) *StartError {
	name := s.topics[c.Topic].Name
	if name == "" {
		name = c.Topic.String()
	}
	return &StartError{Reason: why, Channel: c, Topic: name, Position: position, Bound: bound, WaysOut: waysOut[why]}
}
