package commit

import "fmt"

// Ending says how one branch of a message ended.
type Ending uint8

const (
	// None ends nothing: the event only opens branches.
	None Ending = iota
	// Delivered: a sink took it.
	Delivered
	// Null: the guest said that nothing comes out.
	Null
	// NoOutput: the guest returned no messages.
	NoOutput
	// NoMatch: no edge matched.
	NoMatch
	// Dropped: an edge that is not required gave it up.
	Dropped
	// DeadLettered: a record of it is durable.
	DeadLettered
	// Orphaned: it was for a node that the document no longer has.
	Orphaned

	endings
)

var endingNames = [endings]string{"none", "delivered", "null", "no_output", "no_match", "dropped", "dead_lettered", "orphaned"}

// String returns the ending's name as the machine output has it.
func (e Ending) String() string { return endingNames[e] }

// Balance counts the messages and branches behind a frontier, since the store was made.
type Balance struct {
	Committed uint64 // messages
	Opened    uint64 // branches

	Delivered    uint64
	Null         uint64
	NoOutput     uint64
	NoMatch      uint64
	Dropped      uint64
	DeadLettered uint64
	Orphaned     uint64
}

// Filtered is the sum over the reasons for which a branch is filtered.
func (b Balance) Filtered() uint64 { return b.Null + b.NoOutput + b.NoMatch }

// Ended is the sum over all endings.
func (b Balance) Ended() uint64 {
	return b.Delivered + b.Filtered() + b.Dropped + b.DeadLettered + b.Orphaned
}

// Check returns an error if a branch was opened and not ended, or the reverse.
func (b Balance) Check() error {
	if b.Opened != b.Ended() {
		return fmt.Errorf("commit: %d branches were opened and %d ended: %+v", b.Opened, b.Ended(), b)
	}
	return nil
}

// Minus returns what was counted since earlier.
func (b Balance) Minus(earlier Balance) Balance {
	return Balance{
		Committed:    b.Committed - earlier.Committed,
		Opened:       b.Opened - earlier.Opened,
		Delivered:    b.Delivered - earlier.Delivered,
		Null:         b.Null - earlier.Null,
		NoOutput:     b.NoOutput - earlier.NoOutput,
		NoMatch:      b.NoMatch - earlier.NoMatch,
		Dropped:      b.Dropped - earlier.Dropped,
		DeadLettered: b.DeadLettered - earlier.DeadLettered,
		Orphaned:     b.Orphaned - earlier.Orphaned,
	}
}

// add counts one committed message.
func (b *Balance) add(e *entry) {
	b.Committed++
	b.Opened += uint64(e.opened)
	b.Delivered += uint64(e.ended[Delivered])
	b.Null += uint64(e.ended[Null])
	b.NoOutput += uint64(e.ended[NoOutput])
	b.NoMatch += uint64(e.ended[NoMatch])
	b.Dropped += uint64(e.ended[Dropped])
	b.DeadLettered += uint64(e.ended[DeadLettered])
	b.Orphaned += uint64(e.ended[Orphaned])
}
