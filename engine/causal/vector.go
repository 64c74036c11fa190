package causal

import "slices"

// vector is a clock that grows in place: the accumulator behind everything that is
// max-merged (advertised clocks, carried ancestry, own outputs, the stamp). It never hands
// out its entries; whoever needs a value takes a copy with clock.
type vector struct {
	// INVARIANT: as Clock.entries.
	entries []Coordinate
}

// raise folds one claim and says whether that changed anything.
func (v *vector) raise(claim Coordinate) bool {
	if claim.Offset < 0 {
		return false
	}
	i, found := find(v.entries, claim.Channel)
	switch {
	case !found:
		v.entries = slices.Insert(v.entries, i, claim)
	case v.entries[i].Offset < claim.Offset:
		v.entries[i].Offset = claim.Offset
	default:
		return false
	}
	return true
}

// merge folds a whole clock, in one pass over both, and says whether that changed anything.
func (v *vector) merge(c Clock) bool {
	changed, fresh, i := false, 0, 0
	for _, claim := range c.entries {
		for i < len(v.entries) && v.entries[i].Channel.Compare(claim.Channel) < 0 {
			i++
		}
		if i == len(v.entries) || v.entries[i].Channel != claim.Channel {
			fresh++
			continue
		}
		if v.entries[i].Offset < claim.Offset {
			v.entries[i].Offset = claim.Offset
			changed = true
		}
	}
	if fresh > 0 {
		v.splice(c.entries, fresh)
	}
	return changed || fresh > 0
}

// splice inserts the fresh claims on channels that v does not have yet, from the back, so
// that every entry moves once.
func (v *vector) splice(claims []Coordinate, fresh int) {
	i := len(v.entries) - 1
	v.entries = slices.Grow(v.entries, fresh)[:len(v.entries)+fresh]
	for to, from := len(v.entries)-1, len(claims)-1; to > i; to-- {
		for i >= 0 && from >= 0 && v.entries[i].Channel == claims[from].Channel {
			from--
		}
		if from < 0 || i >= 0 && v.entries[i].Channel.Compare(claims[from].Channel) > 0 {
			v.entries[to] = v.entries[i]
			i--
			continue
		}
		v.entries[to] = claims[from]
		from--
	}
}

// drop removes the claim on one channel and says whether there was one.
func (v *vector) drop(channel Channel) bool {
	i, found := find(v.entries, channel)
	if found {
		v.entries = slices.Delete(v.entries, i, i+1)
	}
	return found
}

// truncate removes the claims at or below their channel's bound and returns how many.
func (v *vector) truncate(bound Clock) int {
	before := len(v.entries)
	v.entries = slices.DeleteFunc(v.entries, func(e Coordinate) bool {
		through, ok := bound.Offset(e.Channel)
		return ok && e.Offset <= through
	})
	return before - len(v.entries)
}

// clock is a copy of what v claims now.
func (v *vector) clock() Clock { return Clock{slices.Clone(v.entries)} }

// offset is v's claim on a channel; false where it claims nothing.
func (v *vector) offset(channel Channel) (int64, bool) { return Clock{v.entries}.Offset(channel) }
