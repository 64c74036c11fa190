package file

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrChanged says that a file of a batch did not stay what it was while it was read: what
// was read of it is not what it holds.
var ErrChanged = errors.New("it did not stay as it was")

// changedError says how. It is ErrChanged.
type changedError struct{ path, how string }

func (e *changedError) Error() string        { return "file source: " + e.path + " " + e.how }
func (e *changedError) Is(target error) bool { return target == ErrChanged }

// overwritten says how the open file lost what it held. Lines that were read before an
// overwritten that found nothing are whole; those read since may be torn. It sees a file that shrank or whose
// head is another one; a file of the same head that shrank and grew again between two calls looks
// like one that grew.
func (s *stream) overwritten() error {
	info, err := s.file.Stat()
	if err != nil {
		return fmt.Errorf("file source: %s: %w", s.Path, err)
	}
	read, err := s.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return fmt.Errorf("file source: %s: %w", s.Path, err)
	}
	held := max(s.largest, s.Size, read)
	if info.Size() < held {
		return &changedError{s.Path, fmt.Sprintf("shrank from %d to %d bytes while it was read", held, info.Size())}
	}
	s.largest = info.Size()
	if !s.hasHead(s.Head, s.HeadSum) {
		return &changedError{s.Path, "was written anew while it was read"}
	}
	return nil
}

// replaced says that the path leads to another file than the one that was read. One that was
// renamed or removed and has no successor was read whole.
func (s *stream) replaced() error {
	info, err := os.Stat(s.Path)
	if err != nil || s.sameFile(s.Path, info) {
		return nil
	}
	return &changedError{s.Path, "was replaced while it was read: the old file was read to its end, the new one was not"}
}
