package engine

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// Promise 3: a crash at any moment replays a superset of the uncommitted set. The disk is
// copied before a random write, with a random part of what was not synced; what the sink got
// until then is the world's to keep, the next life starts from the copy, over and over,
// until every message ended. Nothing is lost. Duplicates are counted: what was in flight
// comes from the spool and again from its source, whose state lags the checkpoint.
func TestPromise3CrashLosesNothing(t *testing.T) {
	lives := 0
	for seed := range uint64(40) {
		lives += crashOften(t, seed)
	}
	if lives < 120 {
		t.Errorf("only %d lives: the cuts come too late to bite", lives)
	}
}

func crashOften(t *testing.T, seed uint64) (lives int) {
	const n, window = 300, 32
	rng := rand.New(rand.NewPCG(seed, 3))
	dir, mem := t.TempDir(), vfs.NewCrashableMem()
	counts := map[string]int{}
	for {
		lives++
		c := &crash{mem: mem, rng: rng, writes: rng.IntN(120) + 3, torn: rng.IntN(101), out: &memorySink{}}
		if lives == 8 {
			c.writes = math.MaxInt
		}
		o := c.live(t, dir, n, window)
		for _, id := range c.out.ids()[:c.kept(o)] {
			counts[id]++
		}
		if c.after == nil {
			checkAll(t, seed, o, counts, n, lives)
			return lives
		}
		mem = c.after
	}
}

func checkAll(t *testing.T, seed uint64, o Outcome, counts map[string]int, n, lives int) {
	t.Helper()
	duplicates := 0
	for i := range n {
		c := counts[fmt.Sprintf("m%d", i)]
		if c == 0 && i%50 != 7 {
			t.Errorf("seed %d: m%d is lost", seed, i)
		}
		duplicates += max(c-1, 0)
	}
	t.Logf("seed %d: %d duplicates in %d lives", seed, duplicates, lives)
	if err := o.Total.Check(); err != nil || o.Outstanding != 0 || uint64(o.Checkpoint) != o.Total.Committed {
		t.Errorf("seed %d: %v, outcome %+v", seed, err, o)
	}
}

// crash is one life of a process, which ends when the disk is copied.
type crash struct {
	mem    *vfs.MemFS
	rng    *rand.Rand
	writes int // until the cut, syncs and changes of names among them
	torn   int // percent of what was not synced that survives
	out    *memorySink
	stop   context.CancelFunc

	mu    sync.Mutex
	after *vfs.MemFS // the disk as the next life finds it; nil if the work was done first
	cut   int        // records that the sink had by then
}

// live runs until the work is done or the disk is cut.
func (c *crash) live(t *testing.T, dir string, n, window int) Outcome {
	st, err := store.Open(dir, store.Options{FS: errorfs.Wrap(c.mem, errorfs.InjectorFunc(c.inject)), MinFreeBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	w := newWorld(t)
	_ = w.store.Close()
	w.store = st
	w.plan.Limits.MaxInFlight, w.plan.Limits.DrainTimeout = window, 1
	in := &listSource{n: n, group: 5}
	if state, _ := st.NodeState("in"); state != nil {
		in.start, _ = strconv.Atoi(string(state))
	}
	w.source("in", in)
	w.transform("guest", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		if number(m)%50 == 7 {
			return runtime.Result{}, guestFault("seven")
		}
		return one(m), nil
	}, "in")
	w.sink("out", c.out, "guest").BatchSize = 3
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	c.mu.Lock()
	c.stop = stop
	c.mu.Unlock()
	return w.engine().Run(ctx)
}

// kept is how many records the sink had when the life ended.
func (c *crash) kept(Outcome) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.after == nil {
		return len(c.out.ids())
	}
	return c.cut
}

// inject cuts before the chosen write.
func (c *crash) inject(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.writes--; c.writes > 0 || c.after != nil || c.stop == nil {
		return nil
	}
	c.cut = len(c.out.ids())
	c.after = c.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: c.torn, RNG: c.rng})
	c.stop()
	return nil
}
