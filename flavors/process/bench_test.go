//go:build linux

package process

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// BenchmarkHop measures what a message costs on top of its guest: in time, and in CPU time of
// the parent and the child; best and median are those of 100 calls each, which other work on the
// machine distorts less than the mean. At 64 in flight it should be 0.6 µs at most.
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
			var windows []time.Duration // of 100 calls each
			done, at := 0, time.Now()
			for b.Loop() {
				w.ApplyBatch(b.Context(), in, answers)
				if done += n; done%(100*n) == 0 {
					windows, at = append(windows, time.Since(at)), time.Now()
				}
				if answers[n-1].Err != nil {
					b.Fatal(answers[n-1].Err)
				}
			}
			perMessage := func(ns int64) float64 { return float64(ns) / float64(done) }
			b.ReportMetric(perMessage(b.Elapsed().Nanoseconds()), "ns/message")
			if slices.Sort(windows); len(windows) > 0 {
				b.ReportMetric(float64(windows[0].Nanoseconds())/float64(100*n), "best-ns/message")
				b.ReportMetric(float64(windows[len(windows)/2].Nanoseconds())/float64(100*n), "median-ns/message")
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
