package causal

import (
	"iter"
	"slices"
	"strings"
)

// Clock is a set of claims: its entry (c, n) claims every record of channel c with an offset
// up to and including n. A channel without an entry claims nothing. The zero value is the
// empty clock. A Clock is a value: nothing changes one after it was made, so it may be
// shared freely.
type Clock struct {
	// INVARIANT: sorted by channel, one entry per channel, no offset below 0.
	entries []Coordinate
}

// NewClock makes the clock of the given claims, in any order; of two on one channel the
// later counts, and one below offset 0 claims nothing.
func NewClock(claims ...Coordinate) Clock {
	var v vector
	for _, claim := range claims {
		v.raise(claim)
	}
	return Clock(v)
}

// Len is the number of channels on which the clock claims anything: its width.
func (c Clock) Len() int { return len(c.entries) }

// Offset is the clock's claim on a channel; false where it claims nothing.
func (c Clock) Offset(channel Channel) (int64, bool) {
	i, found := find(c.entries, channel)
	if !found {
		return 0, false
	}
	return c.entries[i].Offset, true
}

// All yields the entries, sorted by channel.
func (c Clock) All() iter.Seq[Coordinate] { return slices.Values(c.entries) }

// Merge is the pointwise maximum of two clocks: what either claims.
func (c Clock) Merge(d Clock) Clock {
	v := vector{slices.Clone(c.entries)}
	v.merge(d)
	return Clock(v)
}

// Dominates says whether c claims everything that d claims.
func (c Clock) Dominates(d Clock) bool {
	for _, claim := range d.entries {
		if offset, ok := c.Offset(claim.Channel); !ok || offset < claim.Offset {
			return false
		}
	}
	return true
}

// Equal says whether both claim the same.
func (c Clock) Equal(d Clock) bool { return slices.Equal(c.entries, d.entries) }

// String is {<channel>@<offset> ...}, sorted by channel.
func (c Clock) String() string {
	texts := make([]string, len(c.entries))
	for i, e := range c.entries {
		texts[i] = e.String()
	}
	return "{" + strings.Join(texts, " ") + "}"
}

// find is the index of a channel's entry, or the one at which it belongs.
func find(entries []Coordinate, channel Channel) (int, bool) {
	return slices.BinarySearchFunc(entries, channel, func(e Coordinate, c Channel) int {
		return e.Channel.Compare(c)
	})
}
