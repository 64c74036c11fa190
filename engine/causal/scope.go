package causal

import (
	"bytes"
	"fmt"
	"slices"
)

// Scope is what a stage's state was written under: the declared input channels of the task
// and the sink topics of the stage. Both are sorted and free of repetition.
type Scope struct {
	Channels []Channel
	Sinks    []TopicID
}

// NewScope sorts what is declared.
func NewScope(channels []Channel, sinks []TopicID) Scope {
	s := Scope{Channels: slices.Clone(channels), Sinks: slices.Clone(sinks)}
	slices.SortFunc(s.Channels, Channel.Compare)
	slices.SortFunc(s.Sinks, compareTopics)
	s.Channels, s.Sinks = slices.Compact(s.Channels), slices.Compact(s.Sinks)
	return s
}

// Consumes says whether the channel is one of the inputs.
func (s Scope) Consumes(c Channel) bool {
	_, found := slices.BinarySearchFunc(s.Channels, c, Channel.Compare)
	return found
}

// Appends says whether the topic is one of the sinks.
func (s Scope) Appends(t TopicID) bool {
	_, found := slices.BinarySearchFunc(s.Sinks, t, compareTopics)
	return found
}

// Equal says whether both declare the same.
func (s Scope) Equal(o Scope) bool {
	return slices.Equal(s.Channels, o.Channels) && slices.Equal(s.Sinks, o.Sinks)
}

// Encode: int32 channel count, per channel int64 msb, int64 lsb, int32 partition; int32 sink
// count, per sink int64 msb, int64 lsb.
func (s Scope) Encode() []byte {
	b := appendInt32(nil, len(s.Channels))
	for _, c := range s.Channels {
		b = appendChannel(b, c)
	}
	b = appendInt32(b, len(s.Sinks))
	for _, t := range s.Sinks {
		b = append(b, t[:]...)
	}
	return b
}

// DecodeScope reads what Encode writes, and nothing else.
func DecodeScope(b []byte) (Scope, error) {
	c := cursor{left: b}
	var s Scope
	for range c.count(channelSize) {
		s.Channels = append(s.Channels, c.channel())
	}
	for range c.count(sinkSize) {
		s.Sinks = append(s.Sinks, c.topic())
	}
	if !s.Equal(NewScope(s.Channels, s.Sinks)) {
		c.fail("declarations out of order")
	}
	if err := c.end(); err != nil {
		return Scope{}, fmt.Errorf("causal: not a scope: %w", err)
	}
	return s, nil
}

func compareTopics(a, b TopicID) int { return bytes.Compare(a[:], b[:]) }
