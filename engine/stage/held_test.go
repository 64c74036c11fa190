package stage

import (
	"fmt"
	"os"
	goruntime "runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/store"
)

const heldEnv = "LEAT_HELD" // how many records the long test holds; 1,000,000 for the promise

// What is held costs disk, not memory: with many records held on a channel, the memory of the process is within 64 MiB
// of what it is with a tenth of them, and when their cause comes they are all delivered, once and in order.
func TestHeldRecordsCostDisk(t *testing.T) {
	most := 40_000
	if n, err := strconv.Atoi(os.Getenv(heldEnv)); err == nil && n >= 10 {
		most = n
	} else if testing.Short() {
		most = 10_000
	}
	w := newWorld(t, "orders", "payments")
	w.onDeliver = nil
	s := w.quiet("inputs: {payments: {}, orders: {}}")
	fillHeld(w, most/10)
	w.drainStep(s)
	few := resident()
	fillHeld(w, most-most/10)
	w.drainStep(s)
	many := resident()
	w.equal("held", s.Counts().Held, most)
	t.Logf("resident memory with %d held records: %d MiB, with %d: %d MiB", most/10, few>>20, most, many>>20)
	if many > few+64<<20 && !raceDetector {
		t.Errorf("memory grew by %d MiB", (many-few)>>20)
	}
	w.produce("orders", "k", `0`)
	began := time.Now()
	w.drainStep(s)
	took := time.Since(began)
	w.equal("left", fmt.Sprint(s.Counts().Held, s.Counts().Delivered), fmt.Sprint(0, most+1))
	released := float64(most) / took.Seconds()
	fillPlain(w, most/2)
	began = time.Now()
	w.drainStep(s)
	plain := float64(most/2) / time.Since(began).Seconds()
	t.Logf("released at %.0f records/s, plain delivery at %.0f: %.2f of it", released, plain, released/plain)
	w.must(s.Close())
}

// quiet starts a stage whose steps the test makes itself, and that tells of no delivery.
func (w *world) quiet(lines ...string) *Stage {
	w.Helper()
	s, err := New(w.Context(), Options{Plan: w.plan(lines...), Log: w.log, Logger: testLogger(w)})
	w.must(err)
	w.must(s.tasks[0].commit(w.Context()))
	return s
}

// drainStep makes steps until there is nothing to do.
func (w *world) drainStep(s *Stage) {
	w.Helper()
	for worked := true; worked; {
		var err error
		worked, err = s.tasks[0].advance(w.Context())
		w.must(err)
	}
	s.tasks[0].publish()
}

// fillHeld appends payments that all claim the first order.
func fillHeld(w *world, n int) { fill(w, n, causal.NewClock(w.claim("orders@0"))) }

// fillPlain appends payments that claim nothing.
func fillPlain(w *world, n int) { fill(w, n, causal.Clock{}) }

func fill(w *world, n int, clock causal.Clock) {
	w.Helper()
	payments, _ := w.log.Topic("payments")
	value := []byte(`{"amount":30,"text":"` + strings.Repeat("x", 200) + `"}`)
	for n > 0 {
		step, err := w.log.Begin()
		w.must(err)
		for range min(n, 1000) {
			_, err := topic.Append(step, topic.Record{Topic: payments.ID, Key: []byte("k"), Value: value}, clock)
			w.must(err)
		}
		w.must(step.Commit())
		n -= min(n, 1000)
	}
}

// resident is the resident memory of the process after a collection; the heap in use where the
// system does not say.
func resident() int64 {
	goruntime.GC()
	goruntime.GC()
	text, err := os.ReadFile("/proc/self/statm")
	if fields := strings.Fields(string(text)); err == nil && len(fields) > 1 {
		if pages, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
			return pages * int64(os.Getpagesize())
		}
	}
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return int64(m.HeapInuse)
}

// Held records that were read ahead are those that are there: what a step changes is read anew, and other entries are not
// taken for them.
func TestReadAheadSeesWhatChanged(t *testing.T) {
	w := newWorld(t)
	id := store.TaskID{Stage: "s"}
	write := func(entries map[string][]byte) {
		step, err := w.log.Begin()
		w.must(err)
		for key, value := range entries {
			step.SetState(id, key, value)
		}
		w.must(step.Commit())
	}
	channel := causal.Channel{Topic: causal.TopicID{1}}
	key := func(i int64) string { return causal.KeyHeld(channel, i) }
	entries := map[string][]byte{causal.KeyQueue(channel): []byte("m"), causal.KeyScope: []byte("scope")}
	for i := range int64(readAhead + 10) {
		entries[key(i)] = fmt.Appendf(nil, "r%d", i)
	}
	write(entries)
	s := &stored{log: w.log, id: id}
	get := func(key, want string) {
		t.Helper()
		value, err := s.Get(key)
		w.must(err)
		if string(value) != want {
			t.Errorf("%s is %q, want %q", key, value, want)
		}
	}
	get(key(0), "r0")
	if n := len(s.ahead["q/"+channel.String()+heldInfix]); n != readAhead-1 {
		t.Errorf("%d entries were read ahead", n)
	}
	s.forget(key(1))
	s.forget(key(2))
	write(map[string][]byte{key(1): []byte("new"), key(2): nil})
	get(key(1), "new")
	get(key(2), "")
	get(key(readAhead+5), fmt.Sprintf("r%d", readAhead+5))
	get(key(readAhead+10), "")
	get(causal.KeyQueue(channel), "m")
	get(causal.KeyScope, "scope")
}

// Two hold queues that are emptied by turns, since each record of the one claims one of the other, are read ahead each for itself: an entry is read
// from the store once, not once for every entry of the other queue.
func TestReadAheadKeepsEachQueue(t *testing.T) {
	w := newWorld(t)
	id := store.TaskID{Stage: "s"}
	step, err := w.log.Begin()
	w.must(err)
	channels := []causal.Channel{{Topic: causal.TopicID{1}}, {Topic: causal.TopicID{1}, Partition: 12}, {Topic: causal.TopicID{2}}}
	for _, c := range channels {
		for i := range int64(20) {
			step.SetState(id, causal.KeyHeld(c, i), fmt.Appendf(nil, "%v %d", c, i))
		}
	}
	w.must(step.Commit())
	s := &stored{log: w.log, id: id}
	for i := range int64(20) {
		for _, c := range channels {
			value, err := s.Get(causal.KeyHeld(c, i))
			w.must(err)
			w.equal("entry", string(value), fmt.Sprintf("%v %d", c, i))
		}
	}
	if s.reads != len(channels) {
		t.Errorf("%d reads of %d queues", s.reads, len(channels))
	}
}
