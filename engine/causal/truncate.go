package causal

import "math"

// Truncate removes the claims at or below the bounds from the two parts of the stamp whose width
// would otherwise grow with everything upstream: carried ancestry and the advertised clocks. The
// frontier and the own outputs stay: they are as wide as the stage's own channels. It returns the
// number of removed entries.
//
// The bounds must be below every baseline that any receiver can still have. Bounds is the one that
// ships.
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
// start, since no receiver can ask for it any more; all, where the topic is gone. An error of the log
// leaves no bounds: this sweep is to be skipped.
func Bounds(clock Clock, log Log) (Clock, error) {
	var v vector
	for _, claim := range clock.entries {
		topic, exists, err := log.Topic(claim.Channel.Topic)
		if err != nil {
			return Clock{}, err
		}
		through := int64(math.MaxInt64)
		if extent, ok := topic.extent(claim.Channel.Partition); exists && ok {
			through = extent.Start - 1
		}
		v.raise(Coordinate{claim.Channel, through})
	}
	return Clock(v), nil
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
