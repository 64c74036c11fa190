package store

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// A worker's step n appends one record to each of two partitions, and sets its state, its fold
// and its position to n: all of that is n after any crash, or none is.
type logWorker struct {
	log  *Log
	id   TopicID
	task TaskID
}

func (w logWorker) step(n int) error {
	step, err := w.log.Begin()
	if err != nil {
		return err
	}
	value := []byte(strconv.Itoa(n))
	for p := range int32(2) {
		if _, err := step.Append(w.id, p, TopicRecord{Key: []byte(w.task.Stage), Value: value}); err != nil {
			step.Abort()
			return err
		}
	}
	step.SetState(w.task, "scope", value)
	step.SetFold(w.task, []byte{0}, value)
	step.SetPosition(w.task, w.id, 0, int64(n))
	return step.Commit()
}

// check says how many steps there are, and fails if one is there in part, twice, or not in order.
func (w logWorker) check(t *testing.T) int {
	t.Helper()
	state, err := w.log.State(w.task, "scope")
	noError(t, err)
	n := 0
	if state != nil {
		n, err = strconv.Atoi(string(state))
		noError(t, err)
	}
	fold, foldErr := w.log.Fold(w.task, []byte{0})
	position, positionErr := w.log.Position(w.task, w.id, 0)
	noError(t, foldErr, positionErr)
	if string(fold) != string(state) || position != int64(n) {
		t.Fatalf("state %q, fold %q, position %d", state, fold, position)
	}
	topic, _ := w.log.TopicByID(w.id)
	for p, extent := range topic.Extents {
		seen := 0
		for from := int64(0); from < extent.End; {
			records, err := w.log.ReadRecords(w.id, int32(p), from, 500)
			noError(t, err)
			for _, r := range records {
				if string(r.Key) != w.task.Stage {
					continue
				}
				if seen++; string(r.Value) != strconv.Itoa(seen) {
					t.Fatalf("%s partition %d: record %q where %d should be", w.task.Stage, p, r.Value, seen)
				}
			}
			from += int64(len(records))
		}
		if seen != n {
			t.Fatalf("%s: partition %d holds %d records of %d steps", w.task.Stage, p, seen, n)
		}
	}
	return n
}

func logWorkers(l *Log, id TopicID) []logWorker {
	workers := make([]logWorker, 3)
	for i := range workers {
		workers[i] = logWorker{l, id, TaskID{fmt.Sprint("w", i), int32(i)}}
	}
	return workers
}

// A child that writes steps from three goroutines is killed with SIGKILL after a random number of
// acknowledgements, again and again on one directory: every acknowledged step is there, every step is there
// whole, in order, on partitions without a hole.
func TestLogKillSweep(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	l := openLog(t, dir, Options{})
	id := createTopic(t, l, TopicSpec{Name: "a", Partitions: 2}).ID
	noError(t, l.Close())
	for range kills(t) {
		acked := runKilledLog(t, dir, 1+rng.IntN(300))
		l := openLog(t, dir, Options{})
		for _, w := range logWorkers(l, id) {
			if n := w.check(t); n < acked[w.task.Stage] {
				t.Fatalf("%s: %d steps, %d were acknowledged", w.task.Stage, n, acked[w.task.Stage])
			}
		}
		noError(t, l.Close())
	}
}

func runKilledLog(t *testing.T, dir string, lines int) map[string]int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=killlog", "LEAT_STORE_DIR="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	noError(t, err)
	noError(t, cmd.Start())
	acked := map[string]int{}
	for scan := bufio.NewScanner(out); scan.Scan(); lines-- {
		var worker string
		var n int
		if got, _ := fmt.Sscanf(scan.Text(), "step %s %d", &worker, &n); got == 2 {
			acked[worker] = n
		}
		if lines == 0 {
			_ = cmd.Process.Kill()
		}
	}
	_ = cmd.Wait()
	return acked
}

// killLogChild writes steps until it is killed.
func killLogChild(dir string) {
	l, err := OpenLog(dir, Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	topic, _ := l.Topic("a")
	var wg sync.WaitGroup
	for _, w := range logWorkers(l, topic.ID) {
		wg.Go(func() {
			state, err := l.State(w.task, "scope")
			for n, _ := strconv.Atoi(string(state)); err == nil; {
				n++
				if err = w.step(n); err == nil {
					fmt.Printf("step %s %d\n", w.task.Stage, n)
				}
			}
			fmt.Fprintln(os.Stderr, err)
		})
	}
	wg.Wait()
}

// Power is lost at every few writes, and none, half or all of what was not synced survives:
// the same holds.
func TestLogPowerLossSweep(t *testing.T) {
	stride := 5
	if testing.Short() {
		stride = 30
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	c := &crashes{mem: vfs.NewCrashableMem(), rng: rand.New(rand.NewPCG(seed, 1)), stride: stride}
	l := openLog(t, "", Options{Ephemeral: true, FS: errorfs.Wrap(c.mem, errorfs.InjectorFunc(c.at))})
	id := createTopic(t, l, TopicSpec{Name: "a", Partitions: 2}).ID
	c.mu.Lock()
	c.mu.taken = nil // of before there was a topic
	c.mu.Unlock()
	var wg sync.WaitGroup
	for i, w := range logWorkers(l, id) {
		wg.Go(func() {
			for n := 1; n <= 60; n++ {
				if err := w.step(n); err != nil {
					t.Error(err)
					return
				}
				c.acknowledge(func(a *acked) { a.letters = append(a.letters, fmt.Sprintf("%d %d", i, n)) })
			}
		})
	}
	wg.Wait()
	c.mu.Lock()
	taken := c.mu.taken
	c.mu.Unlock()
	if len(taken) == 0 {
		t.Fatal("no crash was taken")
	}
	for _, crash := range taken {
		checkPowerLoss(t, id, crash)
	}
}

func checkPowerLoss(t *testing.T, id TopicID, c crash) {
	l := openLog(t, "", Options{Ephemeral: true, FS: c.fs})
	steps := map[int]int{}
	for i, w := range logWorkers(l, id) {
		steps[i] = w.check(t)
	}
	for _, ack := range c.acked.letters {
		var i, n int
		_, _ = fmt.Sscanf(ack, "%d %d", &i, &n)
		if n > steps[i] {
			t.Errorf("acknowledged step %d of worker %d is lost: %d are there", n, i, steps[i])
		}
	}
	noError(t, l.Close())
}
