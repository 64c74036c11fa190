package commit

import "github.com/leat-run/leat/runtime"

// state is what is known of a seq that the frontier has not passed.
type state uint8

const (
	absent  state = iota // durable perhaps, but not registered: the hole barrier
	arrived              // registered
	removed              // ended by force; what still comes for it is ignored
)

// entry is one uncommitted message. It holds no pointer, so that a million of them cost
// the collector nothing.
type entry struct {
	bytes  int64
	open   int32
	opened uint32
	ended  [endings]uint32
	state  state
}

// ring holds the entries of base, base+1, … in a power-of-two array that doubles when a
// seq arrives beyond it and never shrinks: its size is the largest in-flight window.
type ring struct {
	base    runtime.Seq // the seq at the head
	entries []entry     // len is a power of two
}

const ringStart = 1024

func newRing(base runtime.Seq) ring {
	return ring{base: base, entries: make([]entry, ringStart)}
}

// at returns the entry of seq, making room for it. REQUIRES: seq >= base.
func (r *ring) at(seq runtime.Seq) *entry {
	for uint64(seq-r.base) >= uint64(len(r.entries)) {
		r.grow()
	}
	return r.slot(seq)
}

func (r *ring) slot(seq runtime.Seq) *entry {
	return &r.entries[uint64(seq)&uint64(len(r.entries)-1)]
}

func (r *ring) grow() {
	bigger := ring{base: r.base, entries: make([]entry, 2*len(r.entries))}
	for i := range len(r.entries) {
		seq := r.base + runtime.Seq(i)
		*bigger.slot(seq) = *r.slot(seq)
	}
	*r = bigger
}

// pop clears the head and moves to the next seq.
func (r *ring) pop() {
	*r.slot(r.base) = entry{}
	r.base++
}
