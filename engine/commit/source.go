package commit

import (
	"slices"

	"github.com/leat-run/leat/runtime"
)

// Origin ties a run of seqs to the source that emitted it.
type Origin struct {
	// Source is the source's index, as given to New; Nobody for rows that count for no
	// source: replayed and injected ones.
	Source int
	// Index numbers the run's first emission in the order in which the source made them,
	// from 0 without gaps. It is what keeps two racing emits of one source apart.
	Index uint64
	// Positions holds one position per message. The tracker copies them.
	Positions []runtime.Position
}

// Nobody is the Source of rows that move no source's position.
const Nobody = -1

// run is a group of emissions with neighbouring seqs.
type run struct {
	index     uint64
	first     runtime.Seq // 0 for emissions that were refused
	count     uint64
	positions positions
}

// source is the frontier of one source: the runs that are not wholly behind it, sorted by
// index. Arrivals are nearly sorted, so an insertion looks at the tail only.
type source struct {
	runs []run
	head int    // runs before it are done; cut off when they are the larger half
	next uint64 // index of the first emission that is not behind the frontier
	at   uint64 // emissions behind the reported position
	last runtime.Position
}

func (s *source) add(r run) {
	at := len(s.runs)
	for at > s.head && s.runs[at-1].index > r.index {
		at--
	}
	s.runs = slices.Insert(s.runs, at, r)
}

// advance moves over the contiguous emissions at or below frontier and reports whether
// there is a new position.
func (s *source) advance(frontier runtime.Seq) bool {
	for s.head < len(s.runs) && s.pass(&s.runs[s.head], frontier) {
		s.runs[s.head] = run{}
		s.head++
	}
	if s.head > len(s.runs)/2 {
		s.runs = slices.Delete(s.runs, 0, s.head)
		s.head = 0
	}
	moved := s.next > s.at
	s.at = s.next
	return moved
}

// pass takes what is committed of r and reports whether that is all of it. Seqs in a run
// rise by one, so what is committed of it is a prefix.
func (s *source) pass(r *run, frontier runtime.Seq) bool {
	if s.next < r.index {
		return false // an earlier emission has not arrived yet
	}
	if r.first == 0 {
		s.next, s.at = s.next+r.count, s.at+r.count
		return true
	}
	if frontier < r.first {
		return false
	}
	through := min(uint64(frontier-r.first)+1, r.count)
	if r.index+through > s.next {
		s.next = r.index + through
		s.last = r.positions.at(int(through - 1))
	}
	return through == r.count
}
