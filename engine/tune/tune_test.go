package tune

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
)

// Proves that shares and quantiles are those of the sorted values, within a step, and exact
// where a step's values are on one side.
func TestDistribution(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, scale := range []float64{1, 40, 1e4, 1e12} {
		var d Distribution
		var all []int64
		for range 5000 {
			v := int64(rng.ExpFloat64() * scale)
			all = append(all, v)
			d.Add(v)
		}
		slices.Sort(all)
		if d.Count() != 5000 || d.Max() != all[4999] || d.Min() != all[0] {
			t.Fatalf("seed %d: %d, %d, %d", seed, d.Count(), d.Max(), d.Min())
		}
		for _, q := range []float64{0, 0.5, 0.95, 0.99, 1} {
			exact := all[max(int(math.Ceil(q*5000))-1, 0)]
			if got := d.Quantile(q); got < exact || float64(got) > float64(exact)*(1+1.0/32)+1 {
				t.Errorf("seed %d, scale %g: quantile %g is %d, exactly %d", seed, scale, q, got, exact)
			}
		}
		for range 50 {
			limit := all[rng.IntN(5000)] + rng.Int64N(3) - 1
			above := 0
			for _, v := range all {
				if v > limit {
					above++
				}
			}
			if got := d.Above(limit); math.Abs(got-float64(above)/5000) > 0.02 {
				t.Errorf("seed %d, scale %g: above %d: %g, exactly %g", seed, scale, limit, got, float64(above)/5000)
			}
		}
	}
	var same Distribution
	for range 1000 {
		same.Add(100_003)
	}
	if same.Above(100_003) != 0 || same.Above(100_002) != 1 || same.Quantile(0.5) != 100_003 {
		t.Error("equal values are not exact")
	}
	if o := same.Octaves(); !reflect.DeepEqual(o, []Octave{{131072, 1000}}) {
		t.Errorf("%v", o)
	}
	var edge Distribution
	for _, v := range []int64{-5, 0, 1, math.MaxInt64} {
		edge.Add(v)
	}
	if o := edge.Octaves(); o[0] != (Octave{1, 3}) || o[len(o)-1] != (Octave{math.MaxInt64, 1}) {
		t.Errorf("%v", o)
	}
}

var transform = &pipeline.Transform{
	Name: "enrich", Flavor: "script", Module: module{},
	Settings: runtime.Settings{Budget: runtime.Budget{Fuel: 10_000_000, Timeout: time.Second, Memory: 64 << 20, Input: 8 << 20}},
}

var plan = &pipeline.Plan{Name: "orders", Transforms: []*pipeline.Transform{transform, {Name: "parts", Flavor: "split"}}}

type module struct{ runtime.Module }

// evidence is of n calls that need from 1,001 fuel on, and grow with the payload.
func evidence(n int) *Evidence {
	e := NewEvidence(plan)
	for i := 1; i <= n; i++ {
		bytes := int64(100 + i%900)
		e.Applied(engine.Call{Node: transform, Usage: runtime.Usage{Fuel: 1000 + 3*bytes, Duration: time.Duration(i) * time.Microsecond, Memory: 1 << 20}, InputBytes: int(bytes)})
	}
	return e
}

// Proves what is suggested and why, that candidates are answered, and that too little evidence
// and evidence that was cut off suggest nothing.
func TestAdvise(t *testing.T) {
	n := Advise(plan, evidence(900), Options{WhatIf: []Candidate{{Resource: "fuel", Value: 1000 + 3*550}, {Resource: "timeout", Value: int64(90 * time.Microsecond)}}}).Nodes[0]
	if want := (Limits{Fuel: 8000, Timeout: "1s", Memory: "16MiB"}); n.Suggested == nil || *n.Suggested != want {
		t.Errorf("%+v", n.Suggested)
	}
	if n.Count != 900 || n.Fuel.Max != 3997 || n.Budget.Memory != "64MiB" || math.Abs(n.WhatIf[0].Fails-0.5) > 0.01 || math.Abs(n.WhatIf[1].Fails-0.9) > 0.01 {
		t.Errorf("%+v", n)
	}
	if all := strings.Join(n.Reason, "\n"); !strings.Contains(all, "the greatest of 900 calls is 3_997, x 2") || !strings.Contains(all, "fuel grows by about") {
		t.Errorf("%s", all)
	}
	few := Advise(plan, evidence(MinMessages-1), Options{}).Nodes[0]
	if few.Suggested != nil || !strings.Contains(few.Reason[0], "at least 300 are wanted") {
		t.Errorf("%+v", few)
	}
	cut := evidence(900)
	cut.Applied(engine.Call{Node: transform, Usage: runtime.Usage{Fuel: 10_000_000}, Kind: runtime.KindFuel})
	if n := Advise(plan, cut, Options{}).Nodes[0]; n.Suggested != nil || n.Failures[runtime.KindFuel] != 1 || !strings.Contains(n.Reason[0], "ended at a budget") {
		t.Errorf("%+v", n)
	}
	slow := evidence(900)
	slow.Applied(engine.Call{Node: transform, Usage: runtime.Usage{Fuel: 1, Duration: 3 * time.Second}})
	if n := Advise(plan, slow, Options{}).Nodes[0]; n.Suggested.Timeout != "6s" {
		t.Errorf("%+v", n.Suggested)
	}
	small := NewEvidence(plan)
	for range MinMessages {
		small.Applied(engine.Call{Node: transform, Usage: runtime.Usage{Fuel: 60}})
	}
	if n := Advise(plan, small, Options{}).Nodes[0]; n.Suggested.Fuel != LeastFuel || !strings.Contains(n.Reason[0], "60, x 2, at least 1_000;") {
		t.Errorf("%+v, %v", n.Suggested, n.Reason)
	}
}

// Proves that evidence says the same after a way through JSON.
func TestEvidenceAsJSON(t *testing.T) {
	e := evidence(700)
	e.Applied(engine.Call{Node: transform, Kind: runtime.KindGuest})
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var again Evidence
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	if a, b := Advise(plan, e, Options{}), Advise(plan, &again, Options{}); !reflect.DeepEqual(a, b) {
		t.Errorf("%+v\n%+v", a, b)
	}
}

// Proves that whatever is read as evidence is written so that it reads as the same, has quantiles in
// their order, and can be advised on.
func FuzzEvidence(f *testing.F) {
	e := evidence(5)
	e.Applied(engine.Call{Node: transform, Kind: runtime.KindFuel})
	text, _ := json.Marshal(e)
	f.Add(text)
	for _, steps := range []string{`{"min":0,"max":1,"count":3}`, `{"min":64,"max":66,"count":1}`, `{"min":4096,"max":4159,"count":9e18},{"min":4100,"max":4101,"count":1}`, `{"min":9223372036854775806,"max":9223372036854775807,"count":1}`} {
		f.Add(fmt.Appendf(nil, `{"enrich":{"calls":-1,"failures":{"fuel":-7,"memory":9223372036854775807},"fuel":[%s],"time":[%[1]s],"memory":[],"sizes":[{},{"fuel":[%[1]s]}],"largest":-5},"x":null}`, steps))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var e, again Evidence
		if len(text) > 1<<14 || json.Unmarshal(text, &e) != nil {
			return
		}
		first, err := json.Marshal(&e)
		if err != nil || json.Unmarshal(first, &again) != nil {
			t.Fatalf("%s was read and is written as %s, %v", text, first, err)
		}
		if second, _ := json.Marshal(&again); !bytes.Equal(first, second) {
			t.Fatalf("%s\n%s", first, second)
		}
		for _, n := range e.nodes {
			d := &n.seen.Fuel
			if all := []int64{d.Min(), d.Quantile(0), d.Quantile(0.5), d.Quantile(0.99), d.Quantile(1), d.Max()}; !slices.IsSorted(all) {
				t.Fatalf("%s: %v", text, all)
			}
		}
		if err := Draw(&bytes.Buffer{}, Advise(plan, &e, Options{})); err != nil {
			t.Fatal(err)
		}
	})
}

// Proves what a terminal sees.
func TestDraw(t *testing.T) {
	var out bytes.Buffer
	if err := Draw(&out, Advise(plan, evidence(900), Options{WhatIf: []Candidate{{Resource: "memory", Value: 1 << 19}}})); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"enrich (script): 900 calls measured\n",
		"  fuel   p50 2_",
		"         ≤ 2_048 ███████████                      250  a budget of that fails 72.22 %\n",
		"         ≤ 4_096 ",
		"  memory: 512.0 KiB would fail 100.00 %\n",
		"  suggested: budget: {fuel: 8_000, timeout: 1s, memory: 16MiB}\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

func TestRounding(t *testing.T) {
	for in, want := range map[int64]int64{0: 0, 7: 7, 99: 99, 100: 100, 101: 110, 3997: 4000, 594_117: 600_000} {
		if got := roundUp(in); got != want {
			t.Errorf("roundUp(%d) = %d", in, got)
		}
	}
	for in, want := range map[int64]int64{1: 1 << 10, 1<<20 + 1: 1<<20 + 1<<18, 9<<20 - 5: 9 << 20, 33<<20 + 1: 36 << 20} {
		if got := roundUpSize(in); got != want {
			t.Errorf("roundUpSize(%d) = %d", in, got)
		}
	}
}
