package causal

import (
	"errors"
	"math"
)

// A redeploy may change what a stage consumes and appends to, while its state lives on. The rule:
// the causal past that the stage has delivered or carried may be skipped, never dropped and never
// entered again.

// depart takes the inputs that are no longer declared out of the state. Their frontiers and
// advertised clocks become carried ancestry: dropped, a third party could order an effect before its
// cause on the retired channel.
func (s *starting) depart() error {
	var refused error
	for _, channel := range s.former.Channels {
		if s.task.scope.Consumes(channel) {
			continue
		}
		topic, err := s.topic(channel.Topic)
		if err != nil {
			return err
		}
		in := &input{channel: channel, queue: queue{channel: channel}}
		if err := in.load(s.task.stored); err != nil {
			return err
		}
		if !in.queue.empty() {
			refused = errors.Join(refused, s.refuseHeld(in, topic.exists))
			continue
		}
		s.retire(in)
		s.report.Left = append(s.report.Left, Departed{channel, !topic.exists})
	}
	return refused
}

// refuseHeld: a held record of a departing input cannot be delivered, and not be dropped either.
func (s *starting) refuseHeld(in *input, topicExists bool) error {
	first, err := in.queue.peek(s.task.stored)
	if err != nil {
		return err
	}
	refused := s.refuse(in.channel, HeldOnDeparting, first.Offset, in.queue.len())
	if !topicExists { // what is gone cannot be declared again
		refused.WaysOut = refused.WaysOut[1:]
	}
	return refused
}

func (s *starting) retire(in *input) {
	t := s.task
	t.carried.merge(Clock{in.advertised.entries})
	if in.seen {
		t.carried.raise(Coordinate{in.channel, in.frontier})
	}
	t.carriedChanged = true
	for _, key := range []string{KeyFrontier(in.channel), KeyAdvertised(in.channel), KeyQueue(in.channel)} {
		t.retired = append(t.retired, Mutation{Key: key})
	}
}

// leaveSinks carries what the sinks hold that are no longer declared: own outputs are not stored,
// and the claims on them must survive. Nobody can consume a topic that is gone.
func (s *starting) leaveSinks() error {
	for _, id := range s.former.Sinks {
		if s.task.scope.Appends(id) {
			continue
		}
		topic, err := s.topic(id)
		if err != nil {
			return err
		}
		if topic.exists && s.task.carried.merge(topic.ends(id)) {
			s.task.carriedChanged = true
		}
		s.report.FormerSinks = append(s.report.FormerSinks, Departed{Channel{Topic: id}, !topic.exists})
	}
	return nil
}

// join seeds the inputs that are new to the scope: at what the stage already knows of the channel,
// else where the declaration says. What lies below the seed is skipped: the stage may have delivered
// the effects of those records, so that the records themselves would come too late.
func (s *starting) join() error {
	for _, declared := range s.declared.Inputs {
		in := s.task.on[declared.Channel]
		if s.former.Consumes(in.channel) {
			in.resume(declared.Position)
			continue
		}
		seed, known := s.knowledge(in.channel)
		if !known && declared.Origin == Latest {
			topic, err := s.topic(in.channel.Topic)
			if err != nil {
				return err
			}
			extent, _ := topic.extent(in.channel.Partition)
			seed, known = extent.End-1, true
		}
		if known {
			in.skipTo(min(seed, math.MaxInt64-1) + 1) // anybody can claim the last offset there is
		}
		if s.task.carried.drop(in.channel) { // the frontier claims it from here on
			s.task.carriedChanged = true
		}
	}
	s.reportJoined()
	return nil
}

func (s *starting) reportJoined() {
	for _, in := range s.task.inputs {
		if !s.former.Consumes(in.channel) {
			s.report.Joined = append(s.report.Joined, Joined{in.channel, in.seen, in.frontier})
		}
	}
}

// knowledge is the highest offset of a channel that the stage's past claims. Own outputs do not
// count: what a stage appends to a sink that it also consumes is still to be delivered to it.
func (s *starting) knowledge(channel Channel) (offset int64, known bool) {
	offset, known = s.task.carried.offset(channel)
	if !known {
		offset = math.MinInt64
	}
	for _, in := range s.task.inputs {
		if claim, ok := in.advertised.offset(channel); ok {
			offset, known = max(offset, claim), true
		}
	}
	return offset, known
}

// resume takes up the position that the host has stored, if that is further than the state says.
func (in *input) resume(position int64) {
	if in.seen || position > 0 {
		in.skipTo(position)
	}
}

// skipTo makes the position at least the given one. Where nothing is held, the frontier follows.
func (in *input) skipTo(position int64) {
	in.position = max(in.position, position)
	if in.queue.empty() && (!in.seen || in.frontier < in.position-1) {
		in.seen, in.frontierChanged = true, true
		in.frontier = in.position - 1
	}
}
