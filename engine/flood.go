package engine

import (
	"slices"
	"sync"

	"github.com/leat-run/leat/runtime"
)

// floodgate remembers the seqs of the latest messages that failed, sorted.
type floodgate struct {
	mu   sync.Mutex
	seqs []runtime.Seq
}

// add notes that a message failed, once however many of its branches did, and reports
// whether as many as limit failed within window neighbouring messages.
func (f *floodgate) add(seq runtime.Seq, limit, window int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, known := slices.BinarySearch(f.seqs, seq)
	if known {
		return false
	}
	f.seqs = slices.Insert(f.seqs, at, seq)
	if len(f.seqs) > limit {
		f.seqs = slices.Delete(f.seqs, 0, len(f.seqs)-limit)
	}
	first, last := f.seqs[0], f.seqs[len(f.seqs)-1]
	return len(f.seqs) == limit && last-first < runtime.Seq(window)
}
