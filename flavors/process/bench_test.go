//go:build linux

package process

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/leat-run/leat/runtime"
)

// BenchmarkHop measures what a message costs on top of its guest: in time, and in CPU time of
// the parent and the child together, which a loaded machine does not distort.
//
// At 64 in flight a message should cost 0.6 µs at most on an idle machine.
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
			done := 0
			for b.Loop() {
				w.ApplyBatch(b.Context(), in, answers)
				done += n
				if answers[n-1].Err != nil {
					b.Fatal(answers[n-1].Err)
				}
			}
			perMessage := func(ns int64) float64 { return float64(ns) / float64(done) }
			b.ReportMetric(perMessage(b.Elapsed().Nanoseconds()), "ns/message")
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
