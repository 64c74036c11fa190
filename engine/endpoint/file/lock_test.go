//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package file

import (
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
)

// Proves invariant 10: a second sink on a file is refused and touches nothing, however the file is
// named, until the first is closed.
func TestSinkHasItsFileForItself(t *testing.T) {
	b := newBench(t)
	first := b.sink("out", true)
	b.put(first, "one")
	b.must(os.Symlink("out", b.path("symbolic")))
	b.must(os.Link(b.path("out"), b.path("hard")))
	for _, name := range []string{"out", "symbolic", "hard"} {
		for _, appending := range []bool{true, false} {
			b.refused(name, appending)
		}
	}
	b.holds("out", "one\n")
	b.put(first, "two")
	b.must(first.Close())
	b.put(b.sink("symbolic", true), "three")
	b.holds("out", "one\ntwo\nthree\n")
}

// refused opens a second sink without a state and wants the refusal.
func (b *bench) refused(name string, appending bool) {
	b.t.Helper()
	config := pipeline.Config{"path": b.path(name), "append": appending}
	_, err := NewSink(engine.SinkEnv{Config: config, Log: slog.New(slog.DiscardHandler)})
	if !errors.Is(err, ErrTaken) || !strings.Contains(err.Error(), b.path(name)) {
		b.t.Errorf("%s, append %v: %v", name, appending, err)
	}
}

const lockedChild = "LEAT_TEST_LOCKED_FILE"

// Proves that another process is refused as well, and that the lock dies with its process.
func TestSinkIsLockedAcrossProcesses(t *testing.T) {
	if path := os.Getenv(lockedChild); path != "" {
		_, err := NewSink(engine.SinkEnv{Config: pipeline.Config{"path": path, "append": true}})
		if errors.Is(err, ErrTaken) {
			os.Exit(3)
		}
		os.Exit(0) // without Close: the kernel takes the lock back
	}
	b := newBench(t)
	child := func() int {
		command := exec.Command(os.Args[0], "-test.run=^TestSinkIsLockedAcrossProcesses$")
		command.Env = append(os.Environ(), lockedChild+"="+b.path("out"))
		_ = command.Run()
		return command.ProcessState.ExitCode()
	}
	s := b.sink("out", true)
	if code := child(); code != 3 {
		t.Errorf("beside an open sink: exit %d, want 3", code)
	}
	b.must(s.Close())
	if code := child(); code != 0 {
		t.Errorf("after it: exit %d, want 0", code)
	}
	b.put(b.sink("out", true), "one")
	b.holds("out", "one\n")
}

// Proves that a sink which was refused while its path led to another's file goes on once that is gone.
func TestSinkGoesOnAfterARefusal(t *testing.T) {
	b := newBench(t)
	s := b.sink("out", true)
	b.put(s, "one")
	other := b.sink("other", true)
	b.must(os.Rename(b.path("out"), b.path("mine")))
	b.must(os.Rename(b.path("other"), b.path("out")))
	for range 2 {
		if err := s.Write(t.Context(), records("two")); !errors.Is(err, ErrTaken) {
			t.Error(err)
		}
	}
	b.must(other.Close())
	b.put(s, "two")
	b.holds("out", "two\n")
	b.must(os.Rename(b.path("mine"), b.path("out")))
	b.put(s, "three")
	b.holds("out", "one\nthree\n")
}
