package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// inNamespace is set in a child that has a user and a mount namespace of its own.
const inNamespace = "LEAT_IN_NAMESPACE"

// smallDisk mounts a tmpfs for the test. Who is not root runs the test again in a namespace
// in which it is; ran says that this has happened and the test is over.
func smallDisk(t *testing.T, size string) (dir string, ran bool) {
	t.Helper()
	dir = t.TempDir()
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size)
	if errors.Is(err, syscall.EPERM) && os.Getenv(inNamespace) == "" {
		runInNamespace(t)
		return "", true
	}
	if err != nil {
		t.Skipf("NOT TESTED: a real disk that fills up: no tmpfs can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir, false
}

func runInNamespace(t *testing.T) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$", "-test.v")
	cmd.Env = append(os.Environ(), inNamespace+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		t.Skipf("NOT TESTED: a real disk that fills up: neither root nor a namespace to be root in: %v", err)
	case err != nil:
		t.Fatalf("in a namespace: %v\n%s", err, out)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("%s", out)
	}
	t.Logf("%s", out)
}

// fillDisk writes somebody else's file until no more than so many bytes are free.
func fillDisk(t *testing.T, disk string, leave uint64) (path string) {
	t.Helper()
	path = filepath.Join(disk, "somebody-elses")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	block := make([]byte, 64<<10)
	for {
		var st syscall.Statfs_t
		if err := syscall.Statfs(disk, &st); err != nil {
			t.Fatal(err)
		}
		if st.Bavail*uint64(st.Bsize) <= leave {
			return path
		}
		if _, err := file.Write(block); err != nil {
			t.Fatal(err)
		}
	}
}

// blockedFor is how long the test looks at a blocked run, and blockedOps what the store may
// ask of the disk meanwhile: each write that waits, and the look at the free space, every
// 200 ms, twice over. A loop that spins makes many thousands.
const (
	blockedFor = 2 * time.Second
	blockedOps = 4 * 2 * int64(blockedFor/(200*time.Millisecond))
)

// A real file system that somebody else fills up, below the watermark and to the last byte:
// the run blocks and says so, asks the disk a few times a second and does nothing else,
// still answers; below the watermark a dead letter is written all the same. Once the file
// is gone the run goes on by itself: every message that was ever accepted is delivered or a
// dead letter.
func TestRealDiskFillsUp(t *testing.T) {
	for _, c := range []struct {
		name    string
		leave   uint64
		minFree int64
	}{{"watermark", 12 << 20, 8 << 20}, {"last byte", 4 << 20, -1}} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			if disk, ran := smallDisk(t, "24m"); !ran {
				fillsUp(t, disk, c.leave, c.minFree)
			}
		})
	}
}

func fillsUp(t *testing.T, disk string, leave uint64, minFree int64) {
	f := newFillsUp(t, disk, minFree)
	filler := fillDisk(t, disk, leave)
	e := f.world.engine()
	ended := make(chan Outcome)
	go func() { ended <- e.Run(context.Background()) }()
	waitFor(t, func() bool { return e.Status().Blocked == "disk" })
	f.lookAtBlocked(e)
	close(f.blocked)
	if minFree > 0 {
		waitFor(t, func() bool { return e.Status().Letters == 1 })
	}
	if s := e.Status(); s.State != StateBlocked {
		t.Errorf("it goes on without room: %+v", s)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	o := <-ended
	f.world.balance(o)
	f.world.status(o, StatusPartial)
	if len(f.out.got) != smallMessages-1 || len(f.world.letters()) != 1 || o.Read != smallMessages {
		t.Errorf("%d delivered, %d letters, outcome %+v", len(f.out.got), len(f.world.letters()), o)
	}
	if err := f.world.store.Close(); err != nil {
		t.Fatal(err)
	}
}

// smallMessages of 64 KiB each do not fit beside the other file.
const smallMessages = 140

// diskRun is a world on a small disk that counts what is asked of it. Its guest holds the
// third message until it may fail.
type diskRun struct {
	world         *world
	out           *memorySink
	ops, accepted atomic.Int64
	blocked       chan struct{} // closed by the test
}

func newFillsUp(t *testing.T, disk string, minFree int64) *diskRun {
	f := &diskRun{world: newWorld(t), out: &memorySink{}, blocked: make(chan struct{})}
	w := f.world
	_ = w.store.Close()
	counting := errorfs.Wrap(vfs.Default, errorfs.InjectorFunc(func(errorfs.Op) error {
		f.ops.Add(1)
		return nil
	}))
	st, err := store.Open(filepath.Join(disk, "store"), store.Options{MinFreeBytes: minFree, FS: counting})
	if err != nil {
		t.Fatal(err)
	}
	w.store = st
	big := strings.Repeat("x", 64<<10)
	w.source("in", &listSource{n: smallMessages, make: func(i int) Emission {
		return Emission{Payload: fmt.Appendf(nil, `{"i":%d,"pad":"%s"}`, i, big)}
	}, after: func(int) { f.accepted.Add(1) }})
	w.transform("guest", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		if number(m) == 2 {
			<-f.blocked
			return runtime.Result{}, guestFault("two")
		}
		return one(m), nil
	}, "in")
	w.sink("out", f.out, "guest")
	w.edgeOf("in", "guest").BufferMax = smallMessages
	return f
}

// lookAtBlocked counts what a blocked run does.
func (f *diskRun) lookAtBlocked(e *Engine) {
	t := f.world.t
	ops, cpu := f.ops.Load(), cpuTime()
	<-time.After(blockedFor)
	ops, cpu = f.ops.Load()-ops, cpuTime()-cpu
	s := e.Status()
	t.Logf("blocked after %d of %d messages (%s); in %v: %d operations on the disk, %v of CPU",
		f.accepted.Load(), smallMessages, s.Reason, blockedFor, ops, cpu)
	if s.State != StateBlocked || s.Blocked != "disk" || s.Since.IsZero() || f.accepted.Load() == smallMessages {
		t.Errorf("%d accepted, status %+v", f.accepted.Load(), s)
	}
	if ops > blockedOps {
		t.Errorf("%d operations on the disk, at most %d should be", ops, blockedOps)
	}
}
