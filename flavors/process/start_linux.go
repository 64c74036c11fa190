package process

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	goruntime "runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/leat-run/leat/runtime"
)

// Supported says that this platform can run guests in child processes.
const Supported = true

// childMark is the variable that makes this binary a child. Its value is the version of the
// protocol: parent and child are the same file, but a file can be replaced.
const (
	childMark    = "LEAT_GUEST_PROCESS"
	childVersion = "2"
)

// The child's files.
const (
	childPage = 3 + iota
	childIn
	childOut
)

// pipeBytes is the size that pipes are asked to have; the system may give less.
const pipeBytes = 256 << 10

// startChild starts this binary as a child. The caller ends it.
func startChild(o Options, w *watcher, b runtime.Budget) (*child, error) {
	c := &child{watcher: w, budget: b, gone: make(chan struct{})}
	files, err := c.open()
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: os.Args[:1:1], ExtraFiles: files, Stderr: &c.words, WaitDelay: time.Second,
		Env:         append([]string{childMark + "=" + childVersion, "GOMAXPROCS=2", "GOTRACEBACK=single"}, o.Env...),
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	}
	c.page.running.Store(pageStarting)
	started := make(chan error, 1)
	go c.live(cmd, started)
	err = <-started
	for _, f := range files {
		_ = f.Close() // the child has its own
	}
	if err != nil {
		c.release()
		return nil, fmt.Errorf("process: start a child: %w", err)
	}
	w.add(c)
	return c, nil
}

// open makes the child's pipes and page, and returns its ends of them.
func (c *child) open() (files []*os.File, err error) {
	defer func() {
		if err != nil {
			for _, f := range files {
				_ = f.Close() // the error at hand is the cause
			}
			c.release()
		}
	}()
	p, file, err := newPage()
	if err != nil {
		return files, err
	}
	c.page, files = p, append(files, file)
	toChild, in, err := newPipe()
	if err != nil {
		return files, err
	}
	c.in, files = tallyWriter{in, p.asked}, append(files, toChild)
	out, fromChild, err := newPipe()
	if err != nil {
		return files, err
	}
	c.outFile, files = out, append(files, fromChild)
	c.room, c.out = grow(in)/2, bufio.NewReaderSize(&spinReader{from: out, wrote: p.answered}, grow(out))
	return files, nil
}

// newPipe makes a pipe whose ends block their thread: a hop then costs two calls of the kernel
// less than through the poller. The other end's death ends every call on it.
func newPipe() (r, w *os.File, err error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, fmt.Errorf("process: make a pipe: %w", err)
	}
	return os.NewFile(uintptr(ends[0]), "pipe"), os.NewFile(uintptr(ends[1]), "pipe"), nil
}

// grow makes a pipe larger where it can be, and returns its size.
func grow(f *os.File) int {
	size := 64 << 10
	conn, err := f.SyscallConn()
	if err != nil {
		return size
	}
	_ = conn.Control(func(fd uintptr) { // fails only for a closed file
		_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeBytes) // what it is now is asked next
		if n, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0); err == nil {
			size = n
		}
	})
	return size
}

// live starts the process, waits for it and keeps how it ended. The thread is its own, since
// the kernel kills the child when the thread that started it ends.
func (c *child) live(cmd *exec.Cmd, started chan<- error) {
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		started <- err
		return
	}
	c.kill = func() { _ = cmd.Process.Kill() } // fails only if it ended
	started <- nil
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		c.words.say(err.Error())
	}
	c.status, _ = cmd.ProcessState.Sys().(syscall.WaitStatus)
	close(c.gone)
}

// exit is how a child ended, read from its wait status.
func (c *child) exit() exit {
	if !c.status.Signaled() {
		return exit{says: fmt.Sprintf("ended with status %d", c.status.ExitStatus())}
	}
	switch sig := c.status.Signal(); sig {
	case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT:
		return exit{says: "was killed from outside: " + sig.String(), outside: true}
	default:
		return exit{says: "died of " + sig.String(), cpu: sig == syscall.SIGXCPU}
	}
}

type status = syscall.WaitStatus
