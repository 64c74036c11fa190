package runtime

import "fmt"

// Balance counts the branches of committed messages (decisions.md, Counting). A message
// opens one branch when it enters and more as it fans out; each ends in exactly one of the
// ways below.
type Balance struct {
	Opened       uint64
	Delivered    uint64 // written by a sink
	Null         uint64 // filtered: the guest said that nothing comes out
	NoOutput     uint64 // filtered: the guest returned no message
	NoMatch      uint64 // filtered: no edge matched
	Dropped      uint64 // given up by an optional edge
	DeadLettered uint64
	Orphaned     uint64 // rows of a node that the document no longer has
}

// Filtered is the sum over the reasons.
func (b Balance) Filtered() uint64 { return b.Null + b.NoOutput + b.NoMatch }

// Ended is the number of branches that ended, in whatever way.
func (b Balance) Ended() uint64 {
	return b.Delivered + b.Filtered() + b.Dropped + b.DeadLettered + b.Orphaned
}

// Check returns an error for a balance that does not hold: a branch ended nowhere, or
// twice.
func (b Balance) Check() error {
	if b.Opened != b.Ended() {
		return fmt.Errorf("balance: %d branches were opened and %d ended: %+v", b.Opened, b.Ended(), b)
	}
	return nil
}

// Minus returns what was counted since earlier.
func (b Balance) Minus(earlier Balance) Balance {
	from := earlier.Counts()
	for i, count := range b.Counts() {
		*count -= *from[i]
	}
	return b
}

// Counts lists all of them. The store keeps them in this order: append, and never move one.
func (b *Balance) Counts() [8]*uint64 {
	return [8]*uint64{
		&b.Opened, &b.Delivered, &b.Null, &b.NoOutput, &b.NoMatch, &b.Dropped, &b.DeadLettered, &b.Orphaned,
	}
}
