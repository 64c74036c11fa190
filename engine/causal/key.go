package causal

import (
	"errors"
	"fmt"
)

// The keys of a task's state, as the protocol writes them. The host puts the stage and the
// task's partition before them, and a byte that is the version of all these layouts.
const (
	// KeyScope holds the Scope that the state was written under.
	KeyScope = "scope"
	// KeyCarried holds the carried ancestry, a clock.
	KeyCarried = "ca"
)

// KeyFrontier holds a channel's frontier, an int64.
func KeyFrontier(c Channel) string { return "f/" + c.String() }

// KeyAdvertised holds a channel's advertised clock.
func KeyAdvertised(c Channel) string { return "cc/" + c.String() }

// KeyQueue holds the indices of a channel's hold queue.
func KeyQueue(c Channel) string { return "q/" + c.String() + "/m" }

// KeyHeld holds one held record. The index is 16 lower-case hex digits, so that the order of
// the keys is the order of the queue.
func KeyHeld(c Channel, index int64) string {
	return fmt.Sprintf("q/%s/e/%016x", c, index)
}

// FoldKey is the key under which a fold's state for a message key stands in the keyspace
// <stage>-fold: a presence byte, 0 for the null key, 1 before the bytes of any other. The
// empty key and the null key are two keys.
func FoldKey(key []byte) []byte {
	if key == nil {
		return []byte{0}
	}
	return append([]byte{1}, key...)
}

// ParseFoldKey reads what FoldKey writes, and nothing else. The key shares the memory of b.
func ParseFoldKey(b []byte) (key []byte, err error) {
	switch {
	case len(b) == 1 && b[0] == 0:
		return nil, nil
	case len(b) >= 1 && b[0] == 1:
		return b[1:], nil
	}
	return nil, errors.New("causal: not the key of a fold's state")
}
