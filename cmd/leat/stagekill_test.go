package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"testing"
	"time"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/store"
)

const (
	chainOrders = 3000
	chainParts  = 2
)

// The chain: a pipeline brings a file into a topic, the first stage prices each order or makes it a dead letter, the second sums up what
// it has of both, and emits a record for each. It must have an order before its price.
var chainDocuments = map[string]string{
	"in.yaml": `apiVersion: leat/v1
kind: Pipeline
metadata: {name: in}
sources: {file: {file: {path: orders.jsonl}}}
sinks: {topic: {from: [file], topic: {name: orders}, order_key: payload.customer, batch: {size: 20, timeout: 5ms}}}
limits: {max_in_flight: 100}
`,
	"price.yaml": `apiVersion: leat/v1
kind: Stage
metadata: {name: price}
inputs: {orders: {}}
outputs: {priced: {}}
on_failure: dead_letter
run: {mode: batch}
handle:
  script:
    source: |
      export function handle(msg) {
        if (msg.value.n % 97 === 5) throw new Error('order ' + msg.value.n)
        return [{to: 'priced', value: {n: msg.value.n, price: msg.value.n * 2}, headers: {at: String(msg.offset)}}]
      }
`,
	"sum.yaml": `apiVersion: leat/v1
kind: Stage
metadata: {name: sum}
inputs: {priced: {}, orders: {}}
outputs: {sums: {}}
run: {mode: batch}
fold:
  script:
    source: |
      export function fold(state, msg) {
        const next = state ?? {orders: 0, prices: 0, total: 0}
        if (msg.topic === 'orders') next.orders++
        else { next.prices++; next.total += msg.value.price }
        return {state: next, emit: [{to: 'sums', value: next, headers: {from: msg.topic, at: String(msg.offset)}}]}
      }
`,
}

// A pipeline and two stages in a chain through topics, run by the binary and killed with SIGKILL at random moments, each time run again until
// all is drained. The pipeline appends each order at least once; from there on it is exactly once: of each order in the topic there is
// one price or one dead letter, of each order and price one record of sums, per channel in order and causes first; and the state is the
// sum of them. Of the orders that came once, all is equal to a run that nobody interrupted.
func TestStageChainSurvivesKills(t *testing.T) {
	kills, seed := killsOf(30), uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	calm := chainWorld(t)
	began := time.Now()
	chainToTheEnd(t, calm)
	spread := max(time.Since(began), 50*time.Millisecond)
	want := checkChain(t, calm)
	if want.twice != 0 || len(want.letters) == 0 {
		t.Fatalf("a run that nobody interrupted: %d orders twice, %d letters", want.twice, len(want.letters))
	}
	for done := 0; done < kills; {
		dir, hits := chainWorld(t), 0
		for done+hits < kills && chainKilled(t, dir, time.Duration(rng.Int64N(int64(spread)))) {
			hits++
		}
		chainToTheEnd(t, dir)
		got := checkChain(t, dir)
		if !slices.Equal(got.prices, want.prices) || !slices.Equal(got.letters, want.letters) {
			t.Errorf("seed %d, %d kills: %d prices and %d letters, want %d and %d", seed, hits, len(got.prices), len(got.letters), len(want.prices), len(want.letters))
		}
		if most := hits * 100; got.twice > most {
			t.Errorf("seed %d, %d kills: %d orders came twice, more than were in flight, %d", seed, hits, got.twice, most)
		}
		t.Logf("seed %d: %d kills, %d orders appended twice", seed, hits, got.twice)
		if t.Failed() {
			return
		}
		done += hits
	}
}

func chainWorld(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var in bytes.Buffer
	for n := range chainOrders {
		fmt.Fprintf(&in, `{"n":%d,"customer":"c-%d"}`+"\n", n, n%37)
	}
	files := maps.Clone(chainDocuments)
	files["orders.jsonl"] = in.String()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"orders", "priced", "sums"} {
		if out, err := leatIn(t, dir, "topic", "create", name, "--partitions", fmt.Sprint(chainParts)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return dir
}

var chainRun = []string{"run", "in.yaml", "price.yaml", "sum.yaml", "--quiet"}

func chainToTheEnd(t *testing.T, dir string) {
	t.Helper()
	run := leatIn(t, dir, chainRun...)
	out, err := run.CombinedOutput()
	if code := run.ProcessState.ExitCode(); code != int(exitPartial) && code != int(exitCompleted) {
		t.Fatalf("the last run: %v: %s", err, out)
	}
}

// chainKilled starts a run and kills it; it says whether the run was still at work.
func chainKilled(t *testing.T, dir string, after time.Duration) bool {
	t.Helper()
	run, said := leatIn(t, dir, chainRun...), &bytes.Buffer{}
	run.Stderr = said
	return killed(t, run, said, after)
}

// chainResult is what does not depend on how often an order came, and how many came again.
type chainResult struct {
	prices, letters []string
	twice           int
}

// checkChain holds each topic against the one that it was made from.
func checkChain(t *testing.T, dir string) (r chainResult) {
	t.Helper()
	log, err := store.OpenLog(filepath.Join(dir, ".leat", store.LogDir), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	letters := map[string]bool{} // of the first stage, by partition@offset
	err = log.Letters(func(l store.DeadLetter) error {
		letters[l.Message.Meta["leat.partition"]+"@"+l.Message.Meta["leat.offset"]] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	prices, failed := map[string]bool{}, map[string]bool{}
	orders, used := 0, 0
	for p := range int32(chainParts) {
		c := chainPart{T: t, log: log, partition: p}
		orders += len(c.records("orders"))
		used += c.checkPrices(letters, prices, failed)
		c.checkSums()
	}
	if used != len(letters) {
		t.Errorf("there are %d dead letters for %d orders that fail", len(letters), used)
	}
	r.prices, r.letters = slices.Sorted(maps.Keys(prices)), slices.Sorted(maps.Keys(failed))
	r.twice = orders - chainOrders
	return r
}

// chainPart is one partition of all topics, which is one task of each stage.
type chainPart struct {
	*testing.T
	log       *store.Log
	partition int32
}

func (c chainPart) records(name string) (all []causal.Record) {
	c.Helper()
	tp, _ := c.log.Topic(name)
	for from := int64(0); from < tp.Extents[c.partition].End; from = int64(len(all)) {
		some, err := c.log.ReadRecords(tp.ID, c.partition, from, 1000)
		if err != nil {
			c.Fatal(err)
		}
		for _, r := range some {
			opened, err := topic.Fetched(topic.ChannelOf(tp, c.partition), r).Open()
			if err != nil {
				c.Fatal(err)
			}
			all = append(all, opened)
		}
	}
	return all
}

// checkPrices: each order has its price or its dead letter, in the order of the orders. It returns the number of the latter.
func (c chainPart) checkPrices(letters, prices, failed map[string]bool) (used int) {
	c.Helper()
	priced := c.records("priced")
	for _, order := range c.records("orders") {
		var v struct{ N int }
		if err := json.Unmarshal(order.Value, &v); err != nil {
			c.Fatal(err)
		}
		if v.N%97 == 5 {
			if used++; !letters[fmt.Sprintf("%d@%d", c.partition, order.Offset)] {
				c.Fatalf("partition %d: order %d at %d has no dead letter", c.partition, v.N, order.Offset)
			}
			failed[fmt.Sprint(v.N)] = true
			continue
		}
		want := fmt.Sprintf(`{"n":%d,"price":%d}`, v.N, v.N*2)
		if len(priced) == 0 || string(priced[0].Value) != want || string(priced[0].Headers[0].Value) != fmt.Sprint(order.Offset) {
			c.Fatalf("partition %d: of the order at %d (%s) there is no price, or out of its place", c.partition, order.Offset, order.Value)
		}
		prices[want], priced = true, priced[1:]
	}
	if len(priced) > 0 {
		c.Fatalf("partition %d: %d prices are of no order", c.partition, len(priced))
	}
	return used
}

// chainSum is the second stage's state of a customer.
type chainSum struct{ Orders, Prices, Total int }

// checkSums: the second stage had each order and price once, per channel in order, and each price after its order.
func (c chainPart) checkSums() {
	c.Helper()
	orders, priced := c.records("orders"), c.records("priced")
	inputs := map[string][]causal.Record{"orders": orders, "priced": priced}
	next, sums := map[string]int{}, map[string]chainSum{}
	for _, r := range c.records("sums") {
		header := map[string]string{}
		for _, h := range r.Headers {
			header[h.Name] = string(h.Value)
		}
		from := header["from"]
		if header["at"] != fmt.Sprint(next[from]) || next[from] == len(inputs[from]) {
			c.Fatalf("partition %d: %s at %s was taken, %d was to come", c.partition, from, header["at"], next[from])
		}
		record := inputs[from][next[from]]
		next[from]++
		s := sums[string(record.Key)]
		if from == "orders" {
			s.Orders++
		} else {
			if of := record.Headers[0].Value; !before(of, next["orders"]) {
				c.Fatalf("partition %d: the price of the order at %s came before it: %d orders were taken", c.partition, of, next["orders"])
			}
			var v struct{ Price int }
			if err := json.Unmarshal(record.Value, &v); err != nil {
				c.Fatal(err)
			}
			s.Prices, s.Total = s.Prices+1, s.Total+v.Price
		}
		sums[string(record.Key)] = s
		var got chainSum
		if err := json.Unmarshal(r.Value, &got); err != nil || got != s {
			c.Fatalf("partition %d, %s: the sum is %s, want %+v", c.partition, record.Key, r.Value, s)
		}
	}
	if next["orders"] != len(orders) || next["priced"] != len(priced) {
		c.Fatalf("partition %d: %v of %d orders and %d prices were taken", c.partition, next, len(orders), len(priced))
	}
	c.checkFolds(sums)
}

func before(offset []byte, end int) bool {
	var at int
	_, err := fmt.Sscan(string(offset), &at)
	return err == nil && at < end
}

func (c chainPart) checkFolds(want map[string]chainSum) {
	c.Helper()
	var got, wanted []string
	err := c.log.Folds(store.TaskID{Stage: "sum", Partition: c.partition}, func(key, value []byte) error {
		var s chainSum
		err := json.Unmarshal(value, &s)
		got = append(got, fmt.Sprintf("%s %+v", key[1:], s))
		return err
	})
	if err != nil {
		c.Fatal(err)
	}
	for key, s := range want {
		wanted = append(wanted, fmt.Sprintf("%s %+v", key, s))
	}
	sort.Strings(got)
	sort.Strings(wanted)
	if !slices.Equal(got, wanted) {
		c.Fatalf("partition %d: the states are %v, want %v", c.partition, got, wanted)
	}
}
