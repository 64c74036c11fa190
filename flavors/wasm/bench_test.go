package wasm

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// benchGuest is a module of the bench: one of testdata, or a path in LEAT_BENCH_GUEST (a Go
// guest, for one).
func benchGuest(b testing.TB, name string) []byte {
	b.Helper()
	path := os.Getenv("LEAT_BENCH_GUEST")
	if name != "" || path == "" {
		return guest(b, name)
	}
	module, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	return module
}

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

// crossingsInARow is how many are timed at once; the median of these times is told, since a
// busy machine disturbs some.
const crossingsInARow = 100

// BenchmarkCrossing is what a 300-byte message costs besides the guest's own work, and, where
// the issue sets a target, what share of it that is.
func BenchmarkCrossing(b *testing.B) {
	in := message("=" + strings.Repeat("x", 299))
	for _, c := range crossings {
		b.Run(c.name, func(b *testing.B) {
			i := benchTransform(b, c.module(b), c.state)
			var took []time.Duration
			b.ReportAllocs()
			for b.Loop() {
				from := time.Now()
				for range crossingsInARow {
					if _, err := i.Apply(b.Context(), in); err != nil {
						b.Fatal(err)
					}
				}
				took = append(took, time.Since(from)/crossingsInARow)
			}
			slices.Sort(took)
			median := float64(took[len(took)/2].Nanoseconds())
			b.ReportMetric(median, "ns/message")
			if c.target > 0 {
				b.ReportMetric(median/c.target, "of-target")
			}
		})
	}
}

// BenchmarkKill is how far past its deadline of 5 ms an endless loop, and then an endless
// call tree, runs: p50, p99 and the worst of b.N.
func BenchmarkKill(b *testing.B) {
	for _, payload := range []string{"Loop", "Tree"} {
		b.Run(payload, func(b *testing.B) {
			s := settings()
			s.Budget.Timeout, s.Budget.Fuel = 5*time.Millisecond, 1<<50
			w := worker(b, "misbehave", s, runtime.Host{})
			var over []time.Duration
			for b.Loop() {
				result, err := w.Apply(b.Context(), message(payload))
				if f := failed(b, err); f.Kind != runtime.KindTimeout {
					b.Fatal(f)
				}
				over = append(over, result.Usage.Duration-s.Budget.Timeout)
			}
			slices.Sort(over)
			b.ReportMetric(float64(over[len(over)/2].Microseconds()), "p50-us")
			b.ReportMetric(float64(over[len(over)*99/100].Microseconds()), "p99-us")
			b.ReportMetric(float64(over[len(over)-1].Microseconds()), "max-us")
		})
	}
}

// BenchmarkStart is what an instance costs, and what loading a module costs with a warm
// cache on disk.
func BenchmarkStart(b *testing.B) {
	module := benchGuest(b, "")
	b.Run("instance", func(b *testing.B) {
		m, err := load(b, module, settings())
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			i, err := m.Instantiate(b.Context(), runtime.Host{})
			if err != nil {
				b.Fatal(err)
			}
			_ = i.Close()
		}
		_ = m.Close()
	})
	b.Run("warm load", func(b *testing.B) {
		dir := b.TempDir()
		loadThrough(b, dir, module)
		for b.Loop() {
			loadThrough(b, dir, module)
		}
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
