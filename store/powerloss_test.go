package store

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/leat-run/leat/runtime"
)

// crashes takes what a power loss would leave of a disk, at every stride-th operation that
// changes it, together with what had been acknowledged before.
type crashes struct {
	mem    *vfs.MemFS
	rng    *rand.Rand
	stride int
	mu     struct {
		sync.Mutex
		ops   int
		acked acked
		taken []crash
	}
}

type crash struct {
	fs    *vfs.MemFS
	acked acked
}

// at is called before every operation; it never injects an error.
func (c *crashes) at(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.ops++; c.mu.ops%c.stride == 0 {
		c.takeLocked()
	}
	return nil
}

// takeLocked copies the acknowledgements before the disk: those must be on it.
func (c *crashes) takeLocked() {
	a := acked{rows: map[runtime.Seq]string{}, checkpoint: c.mu.acked.checkpoint}
	for seq, payload := range c.mu.acked.rows {
		a.rows[seq] = payload
	}
	a.letters = append(a.letters, c.mu.acked.letters...)
	percent := []int{0, 50, 100}[c.rng.IntN(3)]
	fs := c.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: c.rng})
	c.mu.taken = append(c.mu.taken, crash{fs, a})
}

func (c *crashes) acknowledge(f func(*acked)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.mu.acked)
}

// sweep works on a crashable disk and returns the crashes it took.
func sweep(t *testing.T, durability Durability, stride int) []crash {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	c := &crashes{mem: vfs.NewCrashableMem(), rng: rand.New(rand.NewPCG(seed, 1)), stride: stride}
	c.mu.acked.rows = map[runtime.Seq]string{}
	s := open(t, "", Options{
		Ephemeral: true, Durability: durability, Retention: 100,
		FS: errorfs.Wrap(c.mem, errorfs.InjectorFunc(c.at)),
	})
	var workers sync.WaitGroup
	for worker := range 3 {
		workers.Go(func() { sweepWorker(t, s, c, worker) })
	}
	workers.Wait()
	c.mu.Lock()
	c.takeLocked()
	c.mu.Unlock()
	return c.mu.taken
}

func sweepWorker(t *testing.T, s *Store, c *crashes, worker int) {
	for n := range 60 {
		tag := fmt.Sprintf("%d-%d", worker, n)
		rows := testRows(1 + n%20)
		for i := range rows {
			rows[i].Message.Payload = fmt.Appendf(nil, "%s/%d", tag, i)
		}
		first, err := s.Append(rows)
		last := first + runtime.Seq(len(rows)) - 1
		if err != nil {
			t.Error(err)
			return
		}
		c.acknowledge(func(a *acked) { a.note(fmt.Sprintf("rows %d %d %s", first, last, tag)) })
		if n%3 == 0 {
			err = s.SetCheckpoint(Checkpoint{Through: last, Balance: Balance{Opened: uint64(last), Dropped: uint64(last)}})
			c.acknowledge(func(a *acked) { a.checkpoint = max(a.checkpoint, last) })
		}
		if n%5 == 0 && err == nil {
			err = s.PutLetter(DeadLetter{ID: tag})
			c.acknowledge(func(a *acked) { a.letters = append(a.letters, tag) })
		}
		if n%9 == 0 && err == nil {
			err = s.Trim(last - min(last, 30))
		}
		if err != nil {
			t.Error(err)
			return
		}
	}
}

// Power is lost at every write (-short: at some), and none, half or all of what was not
// synced survives: no acknowledged row, checkpoint or letter is lost, and seqs stay dense.
func TestPowerLossSweep(t *testing.T) {
	stride := 1
	if testing.Short() {
		stride = 20
	}
	for i, crash := range sweep(t, DurabilityFsync, stride) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			s := open(t, "", Options{Ephemeral: true, FS: crash.fs})
			verifyAcked(t, s, crash.acked)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// The control: without the syncs the same sweep must lose acknowledged rows, or it proves
// nothing. The stores must open all the same, with dense seqs.
func TestPowerLossControlLosesRows(t *testing.T) {
	lost := 0
	for _, crash := range sweep(t, DurabilityOS, 20) {
		s := open(t, "", Options{Ephemeral: true, FS: crash.fs})
		for seq := range crash.acked.rows {
			if seq > s.LastSeq() {
				lost++
			}
		}
		next := s.trimmed()
		if err := s.Rows(0, func(r Row) error {
			if next++; r.Seq != next {
				t.Fatalf("row %d where %d should be", r.Seq, next)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if lost == 0 {
		t.Fatal("the sweep does not bite: no acknowledged row was lost without syncs")
	}
}
