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

// ring holds the entries of base, base+1, … in chunks: it grows without copying them, and
// gives the chunks behind the frontier back.
type ring struct {
	base   runtime.Seq  // the seq at the head, in the first chunk
	chunks []*ringChunk // of neighbouring seqs
	spare  *ringChunk   // a clear one
}

// ringChunk holds the entries of ringEntries seqs, the first one a multiple of that.
type ringChunk [ringEntries]entry

const ringEntries = 1024

func newRing(base runtime.Seq) ring { return ring{base: base} }

// at returns the entry of seq, making room for it. REQUIRES: seq >= base.
func (r *ring) at(seq runtime.Seq) *entry {
	n := uint64(seq/ringEntries - r.base/ringEntries)
	for n >= uint64(len(r.chunks)) {
		r.chunks = append(r.chunks, r.clear())
	}
	return &r.chunks[n][seq%ringEntries]
}

// end is the first seq that there is no room for.
func (r *ring) end() runtime.Seq {
	return (r.base/ringEntries + runtime.Seq(len(r.chunks))) * ringEntries
}

func (r *ring) clear() *ringChunk {
	c := r.spare
	if r.spare = nil; c == nil {
		c = &ringChunk{}
	}
	return c
}

// pop clears the head and moves to the next seq.
func (r *ring) pop() {
	*r.at(r.base) = entry{}
	if r.base++; r.base%ringEntries == 0 {
		r.spare, r.chunks[0] = r.chunks[0], nil
		r.chunks = r.chunks[1:]
	}
}
