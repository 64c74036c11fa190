//go:build linux

package file

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

const limitedChild = "LEAT_TEST_FILE_SIZE"

// Proves that a write which the kernel cuts short leaves no half line, and that the sink goes on
// once there is room. A child process has its file size limited, so that the kernel itself
// writes a part and refuses the rest.
func TestSinkNeverHalfWrites(t *testing.T) {
	if os.Getenv(limitedChild) == "" {
		command := exec.Command(os.Args[0], "-test.run=^TestSinkNeverHalfWrites$")
		command.Env = append(os.Environ(), limitedChild+"=1")
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	b := newBench(t)
	s := b.sink("out", true)
	b.put(s, "one")
	const unlimited = ^uint64(0)
	long := strings.Repeat("x", 9000)
	limit := syscall.Rlimit{Cur: 4096, Max: unlimited}
	b.must(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	if err := s.Write(t.Context(), records("two", long)); !errors.Is(err, syscall.EFBIG) {
		t.Error(err)
	}
	b.holds("out", "one\n")
	limit.Cur = unlimited
	b.must(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	b.put(s, "two", long)
	b.holds("out", "one\ntwo\n"+long+"\n")
}
