package causal

import (
	"errors"
	"fmt"
	"strings"
)

// ErrReservedHeader is returned where a user's header has the name that carries the clock.
var ErrReservedHeader = errors.New("causal: the header name " + HeaderClock + " belongs to the protocol")

// ErrFailed is part of every error of a task that has become unusable by an earlier one, which it
// wraps too: only Restore makes another.
var ErrFailed = errors.New("causal: the task has failed")

// ClockError is a record whose clock cannot be read. It fails the task: read as an empty
// clock, the record would pass its causes.
type ClockError struct {
	At  Coordinate
	Err error
}

func (e *ClockError) Error() string {
	return fmt.Sprintf("causal: the clock of record %s cannot be read: %v", e.At, e.Err)
}

func (e *ClockError) Unwrap() error { return e.Err }

// StateError is a stored value that cannot be what the protocol wrote there.
type StateError struct {
	Key string
	Err error
}

func (e *StateError) Error() string {
	return fmt.Sprintf("causal: the stored value of %s is damaged: %v", e.Key, e.Err)
}

func (e *StateError) Unwrap() error { return e.Err }

// Reason is the stable code of a StartError.
type Reason string

// The reasons for which a start is refused.
const (
	// HeldOnDeparting: an input leaves the scope while records of it are held. They can be
	// neither delivered (their input is gone) nor dropped (they are the causal past of others).
	HeldOnDeparting Reason = "held-on-departing"
	// BehindRetention: records that the task has not fetched are gone from the log.
	BehindRetention Reason = "behind-retention"
	// PastEnd: the topic is the same, but it ends before the place where the task stands.
	PastEnd Reason = "past-end"
	// NoTopic: a declared topic or partition does not exist.
	NoTopic Reason = "no-topic"
)

// StartError is a refused start: what is wrong with one channel, with the numbers that show it,
// and the ways out. One start may be refused for several; they come joined.
type StartError struct {
	Reason  Reason
	Channel Channel
	Topic   string // the topic's name, or its id where it has none any more
	// Position is the offset the task would fetch next; of HeldOnDeparting, the offset of the
	// first held record.
	Position int64
	// Bound is what Position is held against: the log's start or its end; of HeldOnDeparting,
	// the number of held records.
	Bound int64
	// WaysOut are the remedies, each a full phrase, the gentler one first. At least one.
	WaysOut []string
}

func (e *StartError) Error() string {
	where := fmt.Sprintf("causal: %s partition %d (topic %s): ", e.Topic, e.Channel.Partition, e.Channel.Topic)
	text := where + e.fault()
	if len(e.WaysOut) == 1 {
		return text + "; the way out: " + e.WaysOut[0]
	}
	return text + "; either " + strings.Join(e.WaysOut, ", or ")
}

func (e *StartError) fault() string {
	switch e.Reason {
	case HeldOnDeparting:
		return fmt.Sprintf("the input is no longer declared, but %d of its records are held, the first at offset %d", e.Bound, e.Position)
	case BehindRetention:
		return fmt.Sprintf("the position is %d, but the log starts at %d: %d offsets were deleted unread", e.Position, e.Bound, e.Bound-e.Position)
	case PastEnd:
		return fmt.Sprintf("the position is %d, but the log ends at %d: it was cut behind the stage's back", e.Position, e.Bound)
	default:
		return "there is no such topic or partition"
	}
}
