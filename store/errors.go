package store

import (
	"errors"
	"fmt"
)

var (
	// ErrClosed says that the store was closed before the call had its answer.
	ErrClosed = errors.New("store: closed")
	// ErrFull says that there is no room: nothing was written, wait for Unblocked.
	ErrFull = errors.New("store: no room")
	// ErrFailed says that the disk failed in a way after which nothing can be promised.
	// The run must end; what was in flight may or may not be there after a restart.
	ErrFailed = errors.New("store: failed")
	// ErrRemoved is why a store failed whose files somebody removed or replaced.
	ErrRemoved = errors.New("its files were removed or replaced while it was open")
	// ErrInUse says that another owner has the store; see InUseError.
	ErrInUse = errors.New("store: in use")
	// ErrNotFound says that there is no such row or letter.
	ErrNotFound = errors.New("store: not found")
	// ErrCorrupt says that stored bytes are not what this program wrote.
	ErrCorrupt = errors.New("store: corrupt")
	// ErrFormat says that the store was written by a program with a newer layout.
	ErrFormat = errors.New("store: unknown format")
	// ErrTooLarge says that one call carries more than a group may hold.
	ErrTooLarge = errors.New("store: too large")
	// ErrTopic says that a topic cannot be made so.
	ErrTopic = errors.New("store: topic")
	// ErrTopicExists says that there is a topic of that name.
	ErrTopicExists = errors.New("store: the topic exists")
	// ErrNoTopic says that there is no such topic or partition (any more).
	ErrNoTopic = errors.New("store: no such topic")
	// ErrOffset says that an offset is outside of what a partition holds; see OffsetError.
	ErrOffset = errors.New("store: no such offset")
	// ErrNoLease says that this platform has no lock that dies with its process.
	ErrNoLease = errors.New("store: no file lock on this platform")
)

// InUseError names the owner of a store that could not be opened.
type InUseError struct {
	Dir     string // as resolved
	PID     int    // 0 if the owner has not written it yet
	Host    string
	Address string // of the owner's control socket; "" if it serves none
}

// Error is the sentence of exit code 7.
func (e *InUseError) Error() string {
	owner := "another process"
	if e.PID != 0 {
		owner = fmt.Sprintf("pid %d on %s", e.PID, e.Host)
	}
	if e.Address != "" {
		owner += " at " + e.Address
	}
	return fmt.Sprintf("store: %s is in use by %s", e.Dir, owner)
}

// Is makes errors.Is(err, ErrInUse) true.
func (e *InUseError) Is(target error) bool { return target == ErrInUse }

// OffsetError is a read below a partition's start (retention has removed it) or past its end.
type OffsetError struct {
	Topic      string
	Partition  int32
	Offset     int64
	Start, End int64
}

// Error has all the numbers.
func (e *OffsetError) Error() string {
	return fmt.Sprintf("store: %s partition %d holds offsets %d to %d, not %d", e.Topic, e.Partition, e.Start, e.End-1, e.Offset)
}

// Is makes errors.Is(err, ErrOffset) true.
func (e *OffsetError) Is(target error) bool { return target == ErrOffset }
