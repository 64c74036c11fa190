package causal

import (
	"errors"
	"fmt"
)

// Origin says where an input begins of which the stage knows nothing.
type Origin uint8

// The origins. One counts once, when the input joins the scope.
const (
	Earliest Origin = iota // at the log's start
	Latest                 // at the log's end: what is there already is not read
)

// Input declares one channel that the task consumes.
type Input struct {
	Channel Channel
	Origin  Origin
	// Position is the consumed position that the host has committed with its last step, 0 where
	// it keeps none: everything below it was fetched or is known to be skipped. It is only read
	// of inputs that the state was written under.
	Position int64
}

// Declaration is what a start holds the stored state against.
type Declaration struct {
	Inputs []Input   // at least one, no channel twice
	Sinks  []TopicID // the stage's, with all their partitions
	// AcceptLoss starts in spite of records that retention has deleted before the task fetched
	// them: it folds the gap into the frontier, and Start counts it.
	AcceptLoss bool
}

func (d Declaration) scope() Scope {
	channels := make([]Channel, len(d.Inputs))
	for i, in := range d.Inputs {
		channels[i] = in.Channel
	}
	return NewScope(channels, d.Sinks)
}

func (d Declaration) validate() error {
	if len(d.Inputs) == 0 {
		return errors.New("causal: a task without an input")
	}
	seen := make(map[Channel]bool, len(d.Inputs))
	for _, in := range d.Inputs {
		if in.Channel.Partition < 0 || in.Position < 0 {
			return fmt.Errorf("causal: input %s: partition and position are not negative", in.Channel)
		}
		if seen[in.Channel] {
			return fmt.Errorf("causal: input %s is declared twice", in.Channel)
		}
		seen[in.Channel] = true
	}
	return nil
}

// Start tells what a Restore found and did; all slices are sorted by channel or topic.
type Start struct {
	// Fetch is, per input, the offset to fetch next.
	Fetch []Coordinate
	// Fresh: there was no state; everything below is a first start's.
	Fresh bool
	// Joined are the inputs that the state was not written under.
	Joined []Joined
	// Left are the inputs that are no longer declared. Their past is carried.
	Left []Departed
	// FormerSinks are the sinks that are no longer declared. What they hold is carried.
	FormerSinks []Departed
	// Lost are the gaps that AcceptLoss accepted.
	Lost []Gap
	// Held is the number of records in the hold queues.
	Held int64
}

// Joined is an input new to the scope.
type Joined struct {
	Channel Channel
	// Known: the stage carries knowledge of the channel, or it begins at the log's end. Nothing
	// up to the offset Seed is fetched.
	Known bool
	Seed  int64
}

// Departed is a channel or a topic (then with Partition 0) that left the scope.
type Departed struct {
	Channel Channel
	// Gone: the topic does not exist any more. One of the same name is another topic.
	Gone bool
}

// Gap is a run of offsets that were deleted before the task fetched them. Not each of them was
// a record: markers and holes count too.
type Gap struct {
	Channel       Channel
	From, Through int64
}

// Offsets is the length of the gap.
func (g Gap) Offsets() int64 { return g.Through - g.From + 1 }
