//go:build linux

package process

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"strings"
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

// Proves that a child which dies while a batch is being sent keeps nobody's answer to itself: what it
// has answered is not run again, and the message that it was running is convicted.
func TestDeathBetweenParts(t *testing.T) {
	in := make([]runtime.Message, 3*partMessages)
	c := &child{budget: beast{}.Defaults(), watcher: newWatcher(), room: 1 << 20, gone: make(chan struct{}), kill: func() {}}
	var said []byte
	for i := range in {
		in[i] = message(strings.Repeat("x", partBytes/partMessages))
		if i < partMessages {
			frame, at := beginFrame(said, frameAnswer)
			a := answer{Answer: runtime.Answer{Result: runtime.Result{Out: in[i : i+1 : i+1]}}}
			said = endFrame(appendAnswer(frame, &a, &in[i]), at)
		}
	}
	p, file, err := newPage()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	c.page, c.out, c.in = p, bufio.NewReader(bytes.NewReader(said)), &brokenPipe{after: 1}
	c.page.running.Store(partMessages + 1)
	c.status = status(3 << 8) // exit 3
	close(c.gone)
	tr, answers := &transform{child: c}, make([]runtime.Answer, len(in))
	for i := range in {
		tr.todo = append(tr.todo, i)
	}
	if err := tr.round(t.Context(), in, answers); err != nil {
		t.Fatal(err)
	}
	var f *runtime.Failure
	if !errors.As(answers[partMessages].Err, &f) || f.Kind != runtime.KindCrash || answers[0].Err != nil || len(answers[0].Out) != 1 {
		t.Errorf("%+v, %v", answers[0], answers[partMessages].Err)
	}
	if len(tr.todo) != 2*partMessages-1 || tr.todo[0] != partMessages+1 {
		t.Errorf("%v is to run again", tr.todo)
	}
}

// brokenPipe takes so many writes.
type brokenPipe struct{ after int }

func (p *brokenPipe) Write(b []byte) (int, error) {
	if p.after--; p.after < 0 {
		return 0, syscall.EPIPE
	}
	return len(b), nil
}

func (p *brokenPipe) Close() error { return nil }

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
