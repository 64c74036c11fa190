package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
)

// fullWriter is a disk without room.
type fullWriter struct{ err error }

func (w fullWriter) Write([]byte) (int, error) { return 0, w.err }

// TestStandardOutputFails proves that no verb loses what it had to print in silence, and that a full
// disk is no bug in leat: exit 5 and a sentence, or none for a reader that went away.
func TestStandardOutputFails(t *testing.T) {
	lines := []string{
		"", "help", "help run", "help exit-codes", "run --help", "version", "version --json", "plugins", "plugins --json",
		"plugins schema file", "plugins schema pipeline", "completion bash", "verify gone.yaml", "verify gone.yaml --json",
	}
	for _, line := range lines {
		for _, fault := range []error{syscall.ENOSPC, syscall.EPIPE, io.ErrClosedPipe} {
			var said bytes.Buffer
			s := process()
			s.stdout, s.stderr = fullWriter{fault}, &said
			code := Main(strings.Fields(line), s)
			want := ""
			if errors.Is(fault, syscall.ENOSPC) {
				want = "leat: standard output cannot be written: " + fault.Error() + ": give it room, or another place\n"
			}
			if code != exitFailed || said.String() != want {
				t.Errorf("leat %s, %v: exit %d, %q", line, fault, code, said.String())
			}
		}
	}
}
