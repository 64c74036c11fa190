//go:build linux

package process

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// BenchmarkHop measures what a message costs on top of its guest: in time, and in CPU time of
// the parent and the child; best is that of the quickest 100 calls, which a loaded machine
// distorts least. At 64 in flight it should be 0.6 µs at most.
func BenchmarkHop(b *testing.B) {
	for _, n := range []int{1, 64} {
		b.Run(fmt.Sprintf("inflight=%d", n), func(b *testing.B) {
			w, _ := newWorker(b, nil, nil)
			in, answers := make([]runtime.Message, n), make([]runtime.Answer, n)
			for i := range in {
				in[i] = message(strings.Repeat("x", 300))
				in[i].Meta = nil
			}
			b.ReportAllocs()
			w.ApplyBatch(b.Context(), in, answers)
			pid := children(b)[0]
			self, child := cpuOf(b, os.Getpid()), cpuOf(b, pid)
			done, best, at := 0, time.Hour, time.Now()
			for b.Loop() {
				w.ApplyBatch(b.Context(), in, answers)
				if done += n; done%(100*n) == 0 {
					best, at = min(best, time.Since(at)), time.Now()
				}
				if answers[n-1].Err != nil {
					b.Fatal(answers[n-1].Err)
				}
			}
			perMessage := func(ns int64) float64 { return float64(ns) / float64(done) }
			b.ReportMetric(perMessage(b.Elapsed().Nanoseconds()), "ns/message")
			if best < time.Hour {
				b.ReportMetric(float64(best.Nanoseconds())/float64(100*n), "best-ns/message")
			}
			b.ReportMetric(perMessage(cpuOf(b, os.Getpid())-self), "parent-cpu-ns/message")
			b.ReportMetric(perMessage(cpuOf(b, pid)-child), "child-cpu-ns/message")
		})
	}
}

// cpuOf returns the nanoseconds of CPU time that a process used.
func cpuOf(tb testing.TB, pid int) (total int64) {
	tb.Helper()
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		tb.Fatal(err)
	}
	for _, task := range tasks {
		var ns int64
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/schedstat", pid, task.Name()))
		if err != nil {
			continue // the thread ended
		}
		if _, err := fmt.Sscan(string(text), &ns); err != nil {
			tb.Fatal(err)
		}
		total += ns
	}
	return total
}
