package causal

// Session is the clock of somebody who takes part without a stage: an edge producer, which claims
// what it has appended itself, or an observer, which also claims what it has read. Its stamps are
// to emissions what a Task's are. The zero value knows nothing. It is not safe for concurrent use.
type Session struct{ past vector }

// Observe says that the record was read: it and everything that it claims is past from here on.
func (s *Session) Observe(r Record) {
	s.past.merge(r.Clock)
	s.past.raise(r.At())
}

// Appended says that an append was acknowledged at this place. One that was not is not claimed: it
// may never come to be.
func (s *Session) Appended(at Coordinate) { s.past.raise(at) }

// Stamp is the clock for a record appended now.
func (s *Session) Stamp() Clock { return s.past.clock() }

// Truncate removes the claims at or below the bounds (see Bounds) and returns how many.
func (s *Session) Truncate(bounds Clock) int { return s.past.truncate(bounds) }
