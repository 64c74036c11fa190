package commit

import "github.com/leat-run/leat/runtime"

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

// Balance counts the messages behind a frontier and how their branches ended, since the store
// was made.
type Balance struct {
	Committed uint64 // messages
	runtime.Balance
}

// Minus returns what was counted since earlier.
func (b Balance) Minus(earlier Balance) Balance {
	return Balance{Committed: b.Committed - earlier.Committed, Balance: b.Balance.Minus(earlier.Balance)}
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
