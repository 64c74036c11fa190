//go:build unix

package console

import (
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/runtime"
)

// BenchmarkScrape prints what a scrape of a running pipeline of 20 nodes costs in CPU, all of
// the process's, after enough messages that every histogram is filled. The issue asks for
// less than 5 ms.
func BenchmarkScrape(b *testing.B) {
	w := twenty(b)
	for range 100 {
		w.emit(`{"n":1}`, `{"n":2}`)
	}
	handler := w.server.routes()
	var size int
	before := cpuNow(b)
	for b.Loop() {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		if size = answer.Body.Len(); answer.Code != http.StatusOK {
			b.Fatal(answer.Code)
		}
	}
	b.ReportMetric(float64(cpuNow(b)-before)/float64(time.Millisecond)/float64(b.N), "cpu-ms/scrape")
	b.ReportMetric(float64(size), "bytes/scrape")
}

func cpuNow(b *testing.B) time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		b.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// BenchmarkRecorder prints what the recorder adds to a call into a guest.
func BenchmarkRecorder(b *testing.B) {
	plan := testPlan(1)
	r := NewRecorder(plan)
	call := engine.Call{Node: plan.Transforms[0], Usage: runtime.Usage{Fuel: 1000, Duration: 20 * time.Microsecond, Memory: 1 << 20}, InputBytes: 400}
	b.ReportAllocs()
	for b.Loop() {
		r.Applied(call)
	}
}
