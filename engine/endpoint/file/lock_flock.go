//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package file

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lockOutput takes the right to write the file, without waiting. It belongs to the open file:
// the kernel takes it back when that is closed or its process dies.
func lockOutput(file *os.File) error {
	for {
		switch err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrTaken
		default:
			return fmt.Errorf("lock it: %w", err)
		}
	}
}
