package store

import (
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/leat-run/leat/runtime"
)

// Power is lost at every write of a store that is made, or opened again: it opens afterwards and
// has its rows, whichever names of the directory outlived it.
func TestPowerLossWhileOpening(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	rounds := 60
	if testing.Short() {
		rounds = 6
	}
	for range rounds {
		made := vfs.NewCrashableMem()
		for _, crash := range openingCrashes(t, made, rng, 0) {
			survives(t, crash)
		}
		s := open(t, "", Options{Ephemeral: true, FS: made})
		if _, err := s.Append(testRows(3)); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		for _, crash := range openingCrashes(t, made, rng, 3) {
			survives(t, crash)
		}
	}
}

// openingCrashes opens and closes a store that holds so many rows, and returns the crashes.
func openingCrashes(t *testing.T, mem *vfs.MemFS, rng *rand.Rand, rows int) []crash {
	c := &crashes{mem: mem, rng: rng, stride: 1}
	c.mu.acked.rows = map[runtime.Seq]string{}
	for i, row := range testRows(rows) {
		c.mu.acked.rows[runtime.Seq(i+1)] = string(row.Message.Payload)
	}
	s := open(t, "", Options{Ephemeral: true, FS: errorfs.Wrap(mem, errorfs.InjectorFunc(c.at))})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.takeLocked()
	return c.mu.taken
}

func survives(t *testing.T, crash crash) {
	t.Helper()
	s := open(t, "", Options{Ephemeral: true, FS: crash.fs})
	verifyAcked(t, s, crash.acked)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
