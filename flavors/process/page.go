package process

import "sync/atomic"

// page is the memory that a child and its parent share. It says which of the child's
// messages is being run, counted from 1, also after the child died.
type page struct {
	running *atomic.Uint64
	release func()
}

const (
	pageIdle     = 0       // between messages
	pageStarting = 1 << 63 // or-ed in: loading code, or making an instance after the message
)
