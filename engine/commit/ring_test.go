package commit

import (
	"testing"

	"github.com/leat-run/leat/runtime"
)

// Seqs that arrive in any order over many chunks have entries of their own, and what the
// frontier has passed is given back: a short window after a long one holds little.
func TestRingGivesBack(t *testing.T) {
	const start, rows, step = 1000, 20*ringEntries + 7, 7 // step has no divisor in common with rows
	tracker := New(start, Balance{}, 1)
	for i := range runtime.Seq(rows) {
		seq := start + 1 + i*step%rows
		tracker.Arrive(Arrival{First: seq, Bytes: []int64{int64(seq)}, Origin: Origin{Source: Nobody}})
	}
	if got := tracker.Outstanding(rows + 1); len(got) != rows || got[0] != start+1 || got[rows-1] != start+rows {
		t.Fatalf("%d outstanding", len(got))
	}
	var freed Freed
	for i := range runtime.Seq(rows) {
		if i == rows-1 && len(tracker.mu.chunks) < rows/ringEntries {
			t.Errorf("%d chunks while the first row is open", len(tracker.mu.chunks))
		}
		f := tracker.Apply(Event{Seq: start + rows - i, Ending: Delivered})
		freed.Messages, freed.Bytes = freed.Messages+f.Messages, freed.Bytes+f.Bytes
	}
	if stats := tracker.Stats(); freed.Messages != rows || stats.Frontier != start+rows || stats.Bytes != 0 {
		t.Errorf("freed %+v, then %+v", freed, stats)
	}
	if want := int64(rows) * (2*start + rows + 1) / 2; freed.Bytes != want {
		t.Errorf("%d bytes freed, want %d", freed.Bytes, want)
	}
	if n := len(tracker.mu.chunks); n > 1 {
		t.Errorf("%d chunks are held for nothing", n)
	}
}

// Positions come back as they went in, each on its own.
func TestPackedPositions(t *testing.T) {
	all := []runtime.Position{[]byte("one"), nil, []byte("three"), {}, []byte("5")}
	packed := pack(all)
	for i, want := range all {
		got := packed.at(i)
		if string(got) != string(want) || len(want) == 0 && got != nil || cap(got) != len(got) {
			t.Errorf("position %d: %q of %d bytes, want %q", i, got, cap(got), want)
		}
	}
}
