package console

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/stage"
	"github.com/leat-run/leat/store"
)

// health is what a console with this log and stage says of them: "health ready" as codes, the
// stages and the log.
func (l *topicLog) health(s *stage.Stage) func() string {
	l.Helper()
	w := newWorld(l.TB, func(o *Options, _ *pipeline.Plan) {
		o.Topics = l.Log
		if s != nil {
			o.Stages = []*stage.Stage{s}
		}
	})
	return func() string {
		l.Helper()
		healthy, text, _ := w.ask("GET", "/healthz", "")
		ready, _, _ := w.ask("GET", "/readyz", "")
		for _, of := range []string{"ship", "orders", "bad"} {
			if strings.Contains(text, of) {
				l.Errorf("who has no token learns %q: %s", of, text)
			}
		}
		_, text, _ = strings.Cut(strings.TrimSpace(text), `"stages":`)
		families := w.gather()
		sum := ""
		for _, name := range []string{"leat_stage_blocked_channels", "leat_stage_failed", "leat_log_blocked", "leat_log_failed"} {
			if f := families[name]; f != nil && f.Metric[0].GetGauge().GetValue() > 0 {
				sum += " " + name
			}
		}
		return fmt.Sprintf("%d %d %s%s", healthy, ready, text, sum)
	}
}

// A stage that is blocked or failed and a log that is full or failed are neither healthy nor
// ready, and the metrics that alerts ask for say so.
func TestHealthLooksAtStagesAndTheirLog(t *testing.T) {
	t.Run("stage", func(t *testing.T) {
		l := newTopicLog(t, store.Options{MinFreeBytes: -1})
		s, run := l.stage()
		health := l.health(s)
		is := func(want string) func() bool { return func() bool { return health() == want } }
		l.eventually("it starts", is(`200 503 {"starting":1},"log":"running"}`))
		run()
		l.eventually("it runs", is(`200 200 {"running":1},"log":"running"}`))
		l.must(l.put("orders", `"bad"`))
		l.eventually("it is blocked", is(`503 503 {"blocked":1},"log":"running"} leat_stage_blocked_channels`))
	})
	t.Run("stage that failed", func(t *testing.T) {
		l := newTopicLog(t, store.Options{MinFreeBytes: -1})
		s, run := l.stage()
		health := l.health(s)
		l.must(l.Close())
		run()
		l.eventually("it failed", func() bool { return health() == `503 503 {"failed":1},"log":"running"} leat_stage_failed` })
	})
	t.Run("full log", func(t *testing.T) {
		l := newTopicLog(t, store.Options{MinFreeBytes: 1 << 60})
		s, run := l.stage()
		health := l.health(s)
		run()
		l.eventually("who appends finds no room", func() bool { return l.put("orders", `{}`) != nil })
		l.eventually("it is told", func() bool { return health() == `503 503 {"blocked":1},"log":"blocked"} leat_log_blocked` })
	})
	if status, text, _ := newWorld(t).ask("GET", "/healthz", ""); status != http.StatusOK || !strings.HasSuffix(text, `"stages":{},"log":"none"}`+"\n") {
		t.Error(status, text)
	}
}

// A log whose disk failed is neither healthy nor ready, also in a run without a stage. A process of its
// own sees it: what a broken disk holds up stays behind in it.
func TestHealthLooksAtAFailedLog(t *testing.T) {
	if os.Getenv(childEnv) == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestHealthLooksAtAFailedLog$", "-test.v")
		child.Env = append(os.Environ(), childEnv+"=1")
		if out, err := child.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestHealthLooksAtAFailedLog") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	var broken atomic.Bool
	disk := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if broken.Load() && filepath.Ext(op.Path) == ".log" && op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			return syscall.EIO
		}
		return nil
	}))
	l := newTopicLog(t, store.Options{MinFreeBytes: -1, FS: disk})
	health := l.health(nil)
	if got := health(); got != `200 200 {},"log":"running"}` {
		t.Error(got)
	}
	broken.Store(true)
	if l.put("orders", `{}`) == nil {
		t.Error("a broken disk takes a record")
	}
	l.eventually("it is told", func() bool { return health() == `503 503 {},"log":"failed"} leat_log_failed` })
}
