package process

import "sync/atomic"

// page is the memory that a child and its parent share. running says which of the child's
// messages is being run, counted from 1, also after the child died. asked and answered are how
// many bytes the parent and the child have written.
type page struct {
	running, asked, answered *atomic.Uint64
	release                  func()
}

// pageWord is how far the words of the page are apart, in bytes: two that different cores write
// share no line of the cache, nor a pair of lines.
const pageWord = 128

const (
	pageIdle     = 0       // between messages
	pageStarting = 1 << 63 // or-ed in: loading code, or making an instance after the message
)
