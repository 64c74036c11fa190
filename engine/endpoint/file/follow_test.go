package file

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leat-run/leat/engine"
)

// following is a source in tail mode on a fake clock: after settle everything that can be
// read was read.
type following struct {
	*bench
	source *Source
	mu     sync.Mutex
	all    []engine.Emission // under mu
	end    func() error
}

func follow(b *bench, pattern string, set ...any) *following {
	f := &following{bench: b, source: b.bench(pattern, set...)}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- f.source.Run(ctx, func(_ context.Context, group []engine.Emission) error {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.all = append(f.all, group...)
			return nil
		})
	}()
	f.end = func() error { cancel(); return <-done }
	f.settle()
	return f
}

func (b *bench) bench(pattern string, set ...any) *Source {
	return b.source(pattern, append([]any{"mode", "tail"}, set...)...)
}

// settle lets three polls pass.
func (f *following) settle() {
	time.Sleep(3 * pollEvery)
	synctest.Wait()
}

func (f *following) close() {
	f.t.Helper()
	if err := f.end(); !errors.Is(err, context.Canceled) {
		f.t.Error(err)
	}
}

// take settles and returns the texts since the last take.
func (f *following) take() []string { return texts(f.emissions()) }

func (f *following) emissions() []engine.Emission {
	f.settle()
	f.mu.Lock()
	defer f.mu.Unlock()
	taken := f.all
	f.all = nil
	return taken
}

// Proves that a followed file gives every line once it has its ending (C50), and that a
// line which is never ended comes after a pause, with its late ending swallowed.
func TestC50FollowHalfLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.write("f", "one\nha")
		f := follow(b, "f")
		defer f.close()
		f.want(f.take(), "one")
		f.add("f", "lf\n")
		f.want(f.take(), "half")
		f.add("f", "never ended")
		f.want(f.take())
		time.Sleep(idleLine)
		f.want(f.take(), "never ended")
		f.add("f", "\nnext\n")
		f.want(f.take(), "next")
	})
}

// Proves that rotation loses nothing: the renamed file is read to its end, also its half line, and
// the new one from its beginning; a new file that matches is found.
func TestFollowRotation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.write("app.log", "one\n")
		f := follow(b, "*.log")
		defer f.close()
		f.want(f.take(), "one")
		f.must(os.Rename(b.path("app.log"), b.path("app.1")))
		f.add("app.1", "late\nhalf")
		f.write("app.log", "two\n")
		f.want(f.take(), "late", "half", "two")
		f.logged("renamed or removed")
		f.write("other.log", "three\n")
		f.want(f.take(), "three")
		f.must(os.Rename(b.path("app.log"), b.path("z.log")))
		f.add("z.log", "four\n")
		f.want(f.take(), "four")
	})
}

// Proves that a file which is cut or written anew is told and read from its beginning.
func TestFollowTruncation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.write("f", "one\ntwo\n")
		f := follow(b, "f")
		defer f.close()
		f.want(f.take(), "one", "two")
		f.write("f", "new\n")
		f.want(f.take(), "new")
		f.logged("truncated or written anew")
		f.write("f", "longer than it was\n")
		f.want(f.take(), "longer than it was")
	})
}

// Proves that following resumes after a restart, and that only what was there at the first
// start is passed over by start: end.
func TestFollowResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		f := follow(b, "*.log", "start", "end")
		f.logged("no file matches yet")
		f.want(f.take())
		b.write("a.log", "one\ntwo\n")
		all := f.emissions()
		f.want(texts(all), "one", "two")
		f.commit(f.source, all[0])
		f.close()
		b.write("b.log", "three\n")
		f = follow(b, "*.log")
		defer f.close()
		f.want(f.take(), "two", "three")
	})
}

// Proves that a commit covers what was read of every file before it, not of the one alone whose
// position it was told.
func TestFollowCommitsAllFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.write("a", "a1\na2\n\n")
		b.write("b", "b1\n")
		f := follow(b, "?")
		all := f.emissions()
		f.want(texts(all), "a1", "a2", "b1")
		f.commit(f.source, all[2])
		f.add("a", "a3\na4\n")
		f.add("b", "b2\n")
		all = f.emissions()
		f.want(texts(all), "a3", "a4", "b2")
		f.commit(f.source, all[0])
		f.close()
		f = follow(b, "?")
		all = f.emissions()
		f.want(texts(all), "a4", "b2")
		f.commit(f.source, all[1])
		f.close()
		b.want(b.read("?"))
	})
}

// Proves that rotation is seen while a file has still much to read: one that was begun and renamed
// again before the first was at its end is not lost.
func TestFollowRotatesWhileItIsBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.write("log", strings.Repeat("first\n", 1000))
		s := b.bench("log")
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // of the fake clock
		defer cancel()
		var got []string
		err := s.Run(ctx, func(_ context.Context, group []engine.Emission) error {
			if len(got) < 512 { // the first two groups
				n := len(got)
				b.must(os.Rename(b.path("log"), b.path(fmt.Sprintf("log.%d", n))))
				b.write("log", fmt.Sprintf("after %d\n", n))
			}
			got = append(got, texts(group)...)
			time.Sleep(pollEvery)
			return nil
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if len(got) != 1002 || !slices.Contains(got, "after 0") || !slices.Contains(got, "after 256") {
			t.Errorf("%d lines, the last %q", len(got), got[len(got)-1])
		}
	})
}
