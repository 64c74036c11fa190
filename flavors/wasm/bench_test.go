package wasm

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

func benchTransform(b *testing.B, module []byte, state runtime.State) runtime.Transform {
	b.Helper()
	s := settings()
	s.State = state
	m, err := load(b, module, s)
	if err != nil {
		b.Fatal(err)
	}
	i, err := m.Instantiate(b.Context(), runtime.Host{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = i.Close(); _ = m.Close() })
	return i
}

// crossings are the ways in which a message meets a guest. The programs give the payload
// back; fresh ones differ in how their first state comes back (README.md, State).
var crossings = []struct {
	name   string
	module func(testing.TB) []byte
	state  runtime.State
	target float64 // ns, 0 where none is set (README.md, Speed)
}{
	{"c", wordsOf("c"), runtime.StateReuse, 500},
	{"go", wordsOf("go"), runtime.StateReuse, 1000},
	{"rust", wordsOf("rust"), runtime.StateReuse, 0},
	{"assemblyscript", wordsOf("assemblyscript"), runtime.StateReuse, 0},
	{"fresh copied", func(t testing.TB) []byte { return guest(t, "identity") }, runtime.StateFresh, 0},
	{"fresh mapped", func(t testing.TB) []byte { return guest(t, "statemapped") }, runtime.StateFresh, 0},
	{"fresh anew", func(t testing.TB) []byte { return guest(t, "statehidden") }, runtime.StateFresh, 0},
	{"fresh go", wordsOf("go"), runtime.StateFresh, 0},
}

func wordsOf(language string) func(testing.TB) []byte {
	return func(t testing.TB) []byte { return words(t, language) }
}

// crossingsInARow is how many are timed at once, crossingTimes how often; the median of these
// times is told, since a busy machine disturbs some.
const crossingsInARow, crossingTimes = 100, 200

// BenchmarkCrossing is what a 300-byte message costs besides the guest's own work, and, where
// a target is set, what share of it that is.
func BenchmarkCrossing(b *testing.B) {
	in := message("=" + strings.Repeat("x", 299))
	for _, c := range crossings {
		b.Run(c.name, func(b *testing.B) {
			i := benchTransform(b, c.module(b), c.state)
			var took []time.Duration
			for range b.N {
				for range crossingTimes {
					from := time.Now()
					for range crossingsInARow {
						if _, err := i.Apply(b.Context(), in); err != nil {
							b.Fatal(err)
						}
					}
					took = append(took, time.Since(from)/crossingsInARow)
				}
			}
			slices.Sort(took)
			median := float64(took[len(took)/2].Nanoseconds())
			b.ReportMetric(median, "ns/message")
			b.ReportMetric(0, "ns/op")
			if c.target > 0 {
				b.ReportMetric(median/c.target, "of-target")
			}
		})
	}
}

// BenchmarkKill is how far past its deadline of 5 ms an endless loop, one that misses every
// cache, and an endless call tree without a loop run: p50, p99 and the worst of 200, and what share of its target
// the p99 is. On a busy machine most of it is waiting for a processor.
func BenchmarkKill(b *testing.B) {
	for _, c := range []struct {
		payload string
		target  time.Duration
	}{{"Loop", 2 * time.Millisecond}, {"Pointer chase", 2 * time.Millisecond}, {"Tree", 5 * time.Millisecond}} {
		b.Run(c.payload, func(b *testing.B) {
			s := settings()
			s.Budget.Timeout, s.Budget.Fuel = 5*time.Millisecond, 1<<50
			w := worker(b, "misbehave", s, runtime.Host{})
			var over []time.Duration
			for range b.N {
				for range 200 {
					result, err := w.Apply(b.Context(), message(c.payload))
					if f := failed(b, err); f.Kind != runtime.KindTimeout {
						b.Fatal(f)
					}
					over = append(over, result.Usage.Duration-s.Budget.Timeout)
				}
			}
			slices.Sort(over)
			p99 := over[len(over)*99/100]
			b.ReportMetric(float64(over[len(over)/2].Microseconds()), "p50-us")
			b.ReportMetric(float64(p99.Microseconds()), "p99-us")
			b.ReportMetric(float64(over[len(over)-1].Microseconds()), "max-us")
			b.ReportMetric(float64(p99)/float64(c.target), "p99-of-target")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkStart is what an instance costs, and what a process takes from a Go module with a
// warm cache on disk to a ready instance, beside its target of 100 ms.
func BenchmarkStart(b *testing.B) {
	code := score(b, "go")
	b.Run("instance", func(b *testing.B) {
		m, err := load(b, code, settings())
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			i, err := m.(*module).start(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			_ = i.Close()
		}
		_ = m.Close()
	})
	b.Run("warm load", func(b *testing.B) {
		dir := b.TempDir()
		loadThrough(b, dir, code)
		var took []time.Duration
		for range b.N {
			for range 10 {
				from := time.Now()
				loadThrough(b, dir, code)
				took = append(took, time.Since(from))
			}
		}
		slices.Sort(took)
		median := took[len(took)/2]
		b.ReportMetric(float64(median.Microseconds())/1000, "ms")
		b.ReportMetric(float64(median)/float64(100*time.Millisecond), "of-target")
		b.ReportMetric(0, "ns/op")
	})
}

// loadThrough is a process's whole way to a ready instance.
func loadThrough(b *testing.B, dir string, module []byte) {
	f := New(Options{CacheDir: dir})
	m, err := f.Compile(b.Context(), runtime.Code{Name: "guest.wasm", Bytes: module}, settings())
	if err != nil {
		b.Fatal(err)
	}
	_ = m.Close()
	_ = f.Close()
}
