package stage

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

const (
	childEnv     = "LEAT_STAGE_CHILD" // the data directory of a child that is to be killed
	killEnv      = "LEAT_KILLS"
	killRecords  = 4000 // orders; as many payments
	killKeys     = 97
	killParts    = 2
	killFirst    = "metadata: {name: first}\ninputs: {payments: {}, orders: {}}\noutputs: {middle: {}}\nhandle: {script: {source: pass}}\n" + batch
	killSecond   = "metadata: {name: second}\ninputs: {middle: {}, orders: {}}\noutputs: {sums: {}}\nfold: {script: {source: sum}}\non_failure: dead_letter\n" + batch
	killFailWhen = 37 // every so many orders the second stage fails
)

// kills is how often the sweep kills its child; LEAT_KILLS asks for more.
func kills() int {
	if n, err := strconv.Atoi(os.Getenv(killEnv)); err == nil && n > 0 {
		return n
	}
	if testing.Short() {
		return 4
	}
	return 15
}

// killGuests: pass emits what it gets; sum adds up per key, whatever the order, and emits a record for each it took.
func killGuests() goFlavor {
	return goFlavor{
		"pass": func(c guestCall) (any, error) {
			return []any{object{"to": "middle", "value": c.Msg.Value, "headers": object{"of": c.Msg.Topic}}}, nil
		},
		"sum": func(c guestCall) (any, error) {
			var state, value int
			_, _ = fmt.Sscan(string(c.State), &state)
			_, _ = fmt.Sscan(string(c.Msg.Value), &value)
			if c.Msg.Topic == "orders" && value%killFailWhen == 0 {
				return nil, failing(runtime.KindGuest, true)
			}
			return object{"state": state + value, "emit": []any{object{"to": "sums", "value": value, "headers": object{"of": c.Msg.Topic}}}}, nil
		},
	}
}

// killChild runs both stages to their end, or is killed. It prints a line when it begins to work.
func killChild() int {
	log, err := store.OpenLog(os.Getenv(childEnv), store.Options{BallastBytes: -1})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	outcomes, err := runChain(context.Background(), log, func() { fmt.Println("begun") })
	for _, o := range outcomes {
		if o.Err != nil {
			fmt.Fprintln(os.Stderr, o.Err)
			return 1
		}
	}
	if err != nil || log.Close() != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// runChain runs the two stages side by side until they are drained.
func runChain(ctx context.Context, log *store.Log, begun func()) (outcomes []Outcome, err error) {
	drain := topic.NewDrain()
	var stages []*Stage
	for _, text := range []string{killFirst, killSecond} {
		plan, diagnostics := pipeline.ParseStage(ctx, "s.yaml", []byte("apiVersion: leat/v1\nkind: Stage\n"+text), pipeline.LoadOptions{
			Catalog: pipeline.Catalog{Flavors: map[string]runtime.Flavor{"script": killGuests()}},
		})
		if plan == nil {
			return nil, fmt.Errorf("%v", diagnostics)
		}
		s, err := New(ctx, Options{Plan: plan, Log: log, Drain: drain})
		if err != nil {
			return nil, err
		}
		stages = append(stages, s)
	}
	begun()
	ended := make(chan Outcome)
	for _, s := range stages {
		go func() { ended <- s.Run(ctx) }()
	}
	for range stages {
		outcomes = append(outcomes, <-ended)
	}
	return outcomes, nil
}

// killInput appends orders and payments: each payment claims its order, and comes to stand far ahead of it on the way through
// the stages, since payments are read first. Half of them claim the order before theirs as well.
func killInput(t *testing.T, log *store.Log) {
	t.Helper()
	topics := map[string]store.Topic{}
	for _, name := range []string{"orders", "payments", "middle", "sums"} {
		tp, err := log.CreateTopic(store.TopicSpec{Name: name, Partitions: killParts})
		if err != nil {
			t.Fatal(err)
		}
		topics[name] = tp
	}
	var claims []causal.Clock
	fill := func(name string, clock func(i int) causal.Clock) {
		for begin := 0; begin < killRecords; begin += 500 {
			step, err := log.Begin()
			if err != nil {
				t.Fatal(err)
			}
			for i := begin; i < begin+500; i++ {
				key := fmt.Appendf(nil, "k%d", i%killKeys)
				at, err := topic.Append(step, topic.Record{
					Topic: topics[name].ID, Partition: store.PartitionOf(key, killParts), Key: key, Value: strconv.AppendInt(nil, int64(i), 10),
				}, clock(i))
				if err != nil {
					t.Fatal(err)
				}
				if name == "orders" {
					claims = append(claims, causal.NewClock(at))
				}
			}
			if err := step.Commit(); err != nil {
				t.Fatal(err)
			}
		}
	}
	fill("orders", func(int) causal.Clock { return causal.Clock{} })
	// A payment of i claims an order well behind it, so that the payments' heads wait and many are held.
	fill("payments", func(i int) causal.Clock { return claims[min(i+300, killRecords-1)].Merge(claims[i]) })
}

// result is what a run of the chain leaves, whatever the order in which partitions and stages took turns.
type result struct {
	middle, sums []string // the multisets of emissions
	folds        []string
	letters      []string
}

func resultOf(t *testing.T, log *store.Log) (r result) {
	t.Helper()
	w := &world{T: t, log: log}
	for p := range int32(killParts) {
		for _, record := range w.records("middle", p) {
			r.middle = append(r.middle, fmt.Sprintf("%s=%s", record.Key, record.Value))
		}
		for _, record := range w.records("sums", p) {
			r.sums = append(r.sums, fmt.Sprintf("%s=%s %s", record.Key, record.Value, record.Headers[0].Value))
		}
		w.must(log.Folds(store.TaskID{Stage: "second", Partition: p}, func(key, value []byte) error {
			r.folds = append(r.folds, fmt.Sprintf("%d %q=%s", p, key, value))
			return nil
		}))
	}
	w.must(log.Letters(func(l store.DeadLetter) error {
		r.letters = append(r.letters, string(l.Message.Payload))
		return nil
	}))
	for _, list := range [][]string{r.middle, r.sums, r.folds, r.letters} {
		sort.Strings(list)
	}
	return r
}

func (r result) diff(o result) (out []string) {
	for _, pair := range []struct {
		name string
		a, b []string
	}{{"middle", r.middle, o.middle}, {"sums", r.sums, o.sums}, {"folds", r.folds, o.folds}, {"letters", r.letters, o.letters}} {
		if !slices.Equal(pair.a, pair.b) {
			out = append(out, fmt.Sprintf("%s: %d, want %d", pair.name, len(pair.a), len(pair.b)))
		}
	}
	return out
}

// checkEmissions holds what a stage emitted against its inputs: per input channel in the order of that channel, each once; and
// no effect before a cause of it, by the claims that were appended.
func checkEmissions(t *testing.T, log *store.Log) {
	t.Helper()
	w := &world{T: t, log: log}
	for p := range int32(killParts) {
		orders, payments := valueOrder(w.records("orders", p)), w.records("payments", p)
		claims := map[string]causal.Clock{}
		for _, r := range payments {
			claims[string(r.Value)] = r.Clock
		}
		ordersTopic, _ := log.Topic("orders")
		delivered := map[string]int64{"orders": -1} // per channel of this task: the offset that was passed on last
		next := map[string]int64{}
		for _, r := range w.middleOf(p) {
			of, value := r.of, r.value
			at, known := map[string]map[string]int64{"orders": orders, "payments": valueOrder(payments)}[of][value]
			if !known || at != next[of] {
				t.Fatalf("partition %d: %s %s is at %d, %d was to come", p, of, value, at, next[of])
			}
			next[of]++
			delivered[of] = at
			if of != "payments" {
				continue
			}
			for claim := range claims[value].All() {
				if claim.Channel == topic.ChannelOf(ordersTopic, p) && delivered["orders"] < claim.Offset {
					t.Fatalf("partition %d: payment %s came before order %d that it claims: %d was delivered", p, value, claim.Offset, delivered["orders"])
				}
			}
		}
		if next["orders"] != int64(len(orders)) || next["payments"] != int64(len(payments)) {
			t.Fatalf("partition %d: %v of %d and %d were passed on", p, next, len(orders), len(payments))
		}
	}
}

type passed struct{ of, value string }

// middleOf are the emissions of the first stage's task p, in the order in which it made them: it emits to the partition of the
// record's key, which is the task's own.
func (w *world) middleOf(p int32) (out []passed) {
	w.Helper()
	for _, r := range w.records("middle", p) {
		out = append(out, passed{string(r.Headers[0].Value), string(r.Value)})
	}
	return out
}

func valueOrder(records []causal.Record) map[string]int64 {
	out := make(map[string]int64, len(records))
	for i, r := range records {
		out[string(r.Value)] = int64(i)
	}
	return out
}

// Two stages in a chain, in a child that is killed with SIGKILL at random moments and started again, until they are drained; and
// again from new until all kills have hit a child at work. Then what is left is what a run that nobody interrupted leaves: each
// record was passed on once, per channel in order and causes first, the sums and the set of emissions and dead letters are equal. Now
// and then the state between two lives is looked at: held records are there, and the stage's own holds say the same.
func TestKillSweep(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	want := uninterrupted(t)
	spread := 150 * time.Millisecond
	for done, held := 0, 0; done < kills(); {
		dir := t.TempDir()
		log := openKillLog(t, dir)
		killInput(t, log)
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		hits := 0
		for done+hits < kills() && runToKill(t, dir, time.Duration(rng.Int64N(int64(spread)))) {
			hits++
			held += heldBetween(t, dir)
		}
		for runToKill(t, dir, time.Minute) {
			t.Fatal("the chain does not end")
		}
		log = openKillLog(t, dir)
		if diff := resultOf(t, log).diff(want); diff != nil {
			t.Fatalf("seed %d, after %d kills: %s", seed, hits, strings.Join(diff, "; "))
		}
		checkEmissions(t, log)
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		t.Logf("%d kills, held records in between: %d", hits, held)
		if done += hits; hits == 0 {
			spread /= 2
		}
		if done >= kills() && held == 0 {
			t.Error("no record was held at any kill: the sweep does not look at what it is about")
		}
	}
}

func openKillLog(t *testing.T, dir string) *store.Log {
	t.Helper()
	log, err := store.OpenLog(dir, store.Options{BallastBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// uninterrupted is the result of a run that nobody kills.
func uninterrupted(t *testing.T) result {
	t.Helper()
	log := openKillLog(t, t.TempDir())
	defer log.Close()
	killInput(t, log)
	outcomes, err := runChain(t.Context(), log, func() {})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outcomes {
		if o.Err != nil || o.Counts.Held != 0 {
			t.Fatalf("%+v", o)
		}
		if o.Stage == "first" && o.Status != engine.StatusCompleted {
			t.Fatal(o.Status)
		}
	}
	checkEmissions(t, log)
	return resultOf(t, log)
}

// runToKill starts a child and kills it after a while; false says that it ended before.
func runToKill(t *testing.T, dir string, after time.Duration) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !bufio.NewScanner(out).Scan() {
		t.Fatal("the child did not begin: ", cmd.Wait())
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Fatal("the child failed: ", err)
		}
		return false
	case <-time.After(after):
		_ = cmd.Process.Kill()
		<-ended
		return !cmd.ProcessState.Success()
	}
}

// heldBetween restores the stages between two lives and returns how many records are held, each of which its queue gives back.
func heldBetween(t *testing.T, dir string) int {
	t.Helper()
	log := openKillLog(t, dir)
	defer log.Close()
	held := 0
	for p := range int32(killParts) {
		id := store.TaskID{Stage: "first", Partition: p}
		entries := map[string]int{}
		err := log.States(id, func(key string, _ []byte) error {
			if channel, _, ok := strings.Cut(strings.TrimPrefix(key, "q/"), "/e/"); ok {
				entries[channel]++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for text, n := range entries {
			channel, err := causal.ParseChannel(text)
			if err != nil {
				t.Fatal(err)
			}
			status, err := causal.ReadChannel(&stored{log: log, id: id}, channel)
			if err != nil || status.Held != int64(n) {
				t.Fatalf("%s: %d records are held, its indices say %d (%v)", text, n, status.Held, err)
			}
			held += n
		}
	}
	return held
}
