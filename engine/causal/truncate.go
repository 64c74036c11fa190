package causal

import "math"

// Truncate removes the claims at or below the bounds from the two parts of the stamp whose width
// would otherwise grow with everything upstream: carried ancestry and the advertised clocks. The
// frontier and the own outputs stay: they are as wide as the stage's own channels. It returns the
// number of removed entries.
//
// The bounds must be below every baseline that any receiver can still have, and below all that one holds. Bounds
// is the one that ships.
func (t *Task) Truncate(bounds Clock) (removed int, err error) {
	if t.failed != nil {
		return 0, t.failed
	}
	if n := t.carried.truncate(bounds); n > 0 {
		t.carriedChanged = true
		removed += n
	}
	for _, in := range t.inputs {
		if n := in.advertised.truncate(bounds); n > 0 {
			in.advertisedChanged = true
			removed += n
		}
	}
	t.counts.Truncated += int64(removed)
	t.past = t.union()
	return removed, nil
}

// Truncatable is the clock of all that Truncate could remove: the channels whose bounds it needs.
func (t *Task) Truncatable() Clock {
	v := vector{t.carried.clock().entries}
	for _, in := range t.inputs {
		v.merge(Clock{in.advertised.entries})
	}
	return Clock(v)
}

// Bounds says what may be forgotten of the clock: on each of its channels what lies below the log's
// start, since no receiver can ask for it any more, and was delivered by every task that consumes the
// channel, since one may still hold what the log has deleted; all, where the topic is gone. tasks are the stored states of all tasks
// that read this log. An error leaves no bounds: this sweep is to be skipped.
func Bounds(clock Clock, log Log, tasks ...Reader) (Clock, error) {
	var v vector
	for _, claim := range clock.entries {
		through, err := deletedThrough(claim.Channel, log)
		if err != nil {
			return Clock{}, err
		}
		v.raise(Coordinate{claim.Channel, through})
	}
	for _, task := range tasks {
		if err := v.lowerTo(task); err != nil {
			return Clock{}, err
		}
	}
	return Clock(v), nil
}

// gone is the bound of a channel that is not there any more.
const gone = math.MaxInt64

// deletedThrough is the last offset of a channel that nobody can fetch any more.
func deletedThrough(c Channel, log Log) (through int64, err error) {
	topic, exists, err := log.Topic(c.Topic)
	if err != nil {
		return 0, err
	}
	if extent, ok := topic.extent(c.Partition); exists && ok {
		return extent.Start - 1, nil
	}
	return gone, nil
}

// lowerTo takes what the task has not delivered out of the bounds.
func (v *vector) lowerTo(task Reader) error {
	scope, _, err := load(task, KeyScope, DecodeScope)
	if err != nil {
		return err
	}
	kept := v.entries[:0]
	for _, bound := range v.entries {
		if bound.Offset != gone && scope.Consumes(bound.Channel) {
			channel, err := ReadChannel(task, bound.Channel)
			if err != nil {
				return err
			}
			if !channel.Seen {
				continue
			}
			bound.Offset = min(bound.Offset, channel.Frontier)
		}
		if bound.Offset >= 0 {
			kept = append(kept, bound)
		}
	}
	v.entries = kept
	return nil
}

// union is the stamp made anew from its parts.
func (t *Task) union() vector {
	v := vector{t.carried.clock().entries}
	v.merge(Clock{t.own.entries})
	for _, in := range t.inputs {
		v.merge(Clock{in.advertised.entries})
		if in.seen {
			v.raise(Coordinate{in.channel, in.frontier})
		}
	}
	return v
}
