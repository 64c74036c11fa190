package meter

import (
	"cmp"
	"context"
	"errors"
	"math"
	goruntime "runtime"
	"slices"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
)

const benchRounds = 9

// variant is one way to run a kernel.
type variant struct {
	name    string
	config  wazero.RuntimeConfig
	options *Options // nil: not rewritten
	most    float64  // that its geometric mean may be; 0 where none is set
}

// worstMost is what the ratio of each kernel may be.
const worstMost = 1.45

var variants = []variant{
	{"plain", wazero.NewRuntimeConfigCompiler(), nil, 0},
	{"bare", wazero.NewRuntimeConfigCompiler(), &Options{withoutDepth: true, withoutGaps: true}, 1.10},
	{"metered", wazero.NewRuntimeConfigCompiler(), &Options{}, 1.15},
	{"closeOnDone", wazero.NewRuntimeConfigCompiler().WithCloseOnContextDone(true), nil, 0},
}

// BenchmarkKernels tells, for each kernel, the time of each variant as a ratio to the plain
// engine's: bare is the meter without depth bound and gap analysis. Variants take turns
// within one process; a number is the median of the rounds' ratios of processor time. The
// last line has geometric means and the worst kernel, beside what they must keep to.
func BenchmarkKernels(b *testing.B) {
	logs := make([]float64, len(variants))
	worst := make([]float64, len(variants))
	measured := 0
	for _, k := range kernels {
		b.Run(k.module+"/"+k.function, func(b *testing.B) {
			for range b.N {
				measured++
				for i, ratio := range k.ratios(b) {
					logs[i] += math.Log(ratio)
					worst[i] = max(worst[i], ratio)
					b.ReportMetric(ratio, variants[i].name)
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
	b.Run("all", func(b *testing.B) {
		if measured == 0 {
			b.Skip("no kernel was measured")
		}
		for i, v := range variants[1:] {
			geo := math.Exp(logs[i+1] / float64(measured))
			b.ReportMetric(geo, v.name+"-geo")
			b.ReportMetric(worst[i+1], v.name+"-worst")
			if v.most > 0 {
				b.ReportMetric(geo/v.most, v.name+"-geo-of-target")
				b.ReportMetric(worst[i+1]/worstMost, v.name+"-worst-of-target")
			}
		}
		b.ReportMetric(0, "ns/op")
	})
}

func (k kernel) ratios(b *testing.B) []float64 {
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	wasm := k.wasm(b)
	runs := make([]func() time.Duration, len(variants))
	for i, v := range variants {
		runs[i] = k.runner(b, v, wasm)
		runs[i]()
	}
	rounds := make([][]float64, len(variants))
	for range benchRounds {
		plain := runs[0]()
		for i, run := range runs {
			rounds[i] = append(rounds[i], float64(run())/float64(plain))
		}
	}
	medians := make([]float64, len(variants))
	for i, round := range rounds {
		medians[i] = percentile(round, 50)
	}
	return medians
}

func (k kernel) runner(b *testing.B, v variant, wasm []byte) func() time.Duration {
	var account Account
	ctx, cancel := context.WithCancel(context.Background())
	b.Cleanup(cancel)
	metered := v.options != nil
	if metered {
		r, err := Rewrite(wasm, *v.options)
		if err != nil {
			b.Fatal(err)
		}
		wasm = r.Module
	}
	g := newGuestOf(b, v.config, wasm)
	f := g.module.ExportedFunction(k.function)
	c := &call{global: g.global}
	ctx = context.WithValue(ctx, callKey{}, c)
	return func() time.Duration {
		if metered {
			var counter int64
			account, counter = Open(1<<50, 0, DefaultStack)
			c.account = account
			g.global.Set(uint64(counter))
		}
		from := cpuTime()
		if _, err := f.Call(ctx, k.n); err != nil {
			b.Fatal(err)
		}
		return cpuTime() - from
	}
}

func percentile[T cmp.Ordered](values []T, percent int) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)*percent/100]
}

// BenchmarkKill prints how long after a deadline of 5 ms a guest is stopped.
func BenchmarkKill(b *testing.B) {
	for _, k := range []kernel{
		{"c.wasm", "spin", 1, 0}, {"basic.wasm", "forever", 0, 0}, {"c.wasm", "calltree", 30, 0},
	} {
		b.Run(k.function, func(b *testing.B) {
			wasm := rewritten(b, fixture(b, k.module))
			limit := plenty
			limit.timeout = 5 * time.Millisecond
			var late []time.Duration
			for range b.N {
				for range 100 {
					g := newGuestOf(b, variants[0].config, wasm)
					late = append(late, k.overshoot(b, g, limit))
					g.vm.Close(context.Background())
				}
			}
			b.ReportMetric(float64(percentile(late, 50).Microseconds()), "p50-us")
			b.ReportMetric(float64(percentile(late, 99).Microseconds()), "p99-us")
		})
	}
}

func (k kernel) overshoot(b *testing.B, g *guest, limit budget) time.Duration {
	var args []uint64
	if k.n > 0 {
		args = append(args, k.n)
	}
	from := time.Now()
	if r := g.call(limit, k.function, args...); !errors.Is(r.err, errDeadline) {
		b.Fatal(r.err)
	}
	return time.Since(from) - limit.timeout
}
