//go:build linux

package process

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// Proves that deaths from outside are counted by message: three that meet three messages of a
// batch, with no answer in between, convict none of them.
func TestOutsideDeathsAreCountedByMessage(t *testing.T) {
	w, recycled := newWorker(t, func(s *runtime.Settings) { s.Budget.Timeout = time.Minute }, nil)
	dir := t.TempDir()
	in, answers := make([]runtime.Message, 2*outsideDeaths), make([]runtime.Answer, 2*outsideDeaths)
	for i := range in {
		in[i] = message("killonce " + filepath.Join(dir, strconv.Itoa(i)))
	}
	w.ApplyBatch(t.Context(), in, answers)
	for i, a := range answers {
		if a.Err != nil || len(a.Out) != 1 {
			t.Errorf("%d: %v", i, a.Err)
		}
	}
	if *recycled != 0 {
		t.Errorf("%d instances replaced", *recycled)
	}
}

// Proves that a message is convicted by the kill that was meant for it, and by none that was
// meant for the one before it, or for a call that ended, and came late (C28).
func TestLateKillBlamesNobody(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range map[string]struct {
		ctx      context.Context // of the call that the watcher looked at
		at       uint64          // what is being run when the kill arrives
		convicts bool
	}{
		"in time":    {t.Context(), 1, true},
		"late":       {t.Context(), 2, false},
		"another":    {over, 1, false},
		"after all":  {t.Context(), pageIdle, false},
		"a new call": {over, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := judged(t, test.ctx, test.at)
			tr := &transform{child: c, todo: []int{0, 1}}
			answers := make([]runtime.Answer, 2)
			if err := tr.bury(t.Context(), io.EOF, 0, answers); err != nil {
				t.Fatal(err)
			}
			var f *runtime.Failure
			if got := errors.As(answers[0].Err, &f); got != test.convicts || answers[1].Err != nil {
				t.Errorf("%v, %v", answers[0].Err, answers[1].Err)
			}
			if got := len(tr.todo) == 1; got != test.convicts {
				t.Errorf("%v is left", tr.todo)
			}
		})
	}
}

// judged returns a child that the watcher killed while it ran its first message, in a call of
// ctx; the kill arrives while it runs its at-th.
func judged(t *testing.T, ctx context.Context, at uint64) *child {
	t.Helper()
	p, file, err := newPage()
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	c := &child{budget: beast{}.Defaults(), page: p, watcher: newWatcher(), gone: make(chan struct{}), status: status(syscall.SIGKILL)}
	c.kill = func() { p.running.Store(at) }
	close(c.gone)
	p.running.Store(1)
	asked, now := &call{ctx}, time.Now()
	c.judge(asked, now)
	c.judge(asked, now.Add(time.Hour))
	if c.killed.Load() == nil {
		t.Fatal("not killed")
	}
	return c
}
