package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/leat-run/leat/engine/control"
	"github.com/leat-run/leat/store"
)

// TestRunIsGone proves that a run which ends before it answers is told of as such, not as the
// error of a connection.
func TestRunIsGone(t *testing.T) {
	run := control.Dial(filepath.Join(t.TempDir(), "control.sock"))
	defer run.Close()
	a := &access{name: "p", run: run}
	_, err := run.Replay(context.Background(), []string{"x"}, "", false)
	want := "leat: replay: the run ended before it answered: what it had taken in goes on with the next run; `leat status` says how the pipeline stands"
	for _, gone := range []error{err, fmt.Errorf("Post: %w", io.EOF), fmt.Errorf("Post: %w", io.ErrUnexpectedEOF)} {
		told := a.failure("replay (the run goes on)", gone)
		if got := explain(told); got != want || codeOf(told) != exitFailed {
			t.Errorf("%v: %s", gone, got)
		}
	}
	told := a.failure("replay (the run goes on)", errors.New("it refuses"))
	if got := explain(told); got != "leat: replay (the run goes on): it refuses" {
		t.Error(got)
	}
}

// TestStoreDoesNotOpen proves that each way in which a store does not open says what to do.
func TestStoreDoesNotOpen(t *testing.T) {
	for _, row := range []struct {
		err  error
		want string
	}{
		{&fs.PathError{Op: "open", Path: "owner.lock", Err: os.ErrPermission}, "run as that user"},
		{fmt.Errorf("store: %w", store.ErrFormat), "use the leat that wrote it"},
		{fmt.Errorf("store: %w", syscall.ENOSPC), "make room on the disk"},
		{errors.New("pebble: malformed manifest"), "bring them back from a backup"},
	} {
		err := openFailure(row.err)
		if text := explain(err); !strings.Contains(text, row.want) || codeOf(err) != exitFailed {
			t.Errorf("%v: %s, exit %d", row.err, text, codeOf(err))
		}
	}
}
