package store

import "sync"

// bodies are the buffers of appends that are over, for the next ones: they would be most of
// what a spool allocates, and what is allocated is what the collector runs for.
var bodies sync.Pool // of *[]byte

// bodyBuffer returns an empty buffer with room for so many bytes.
func bodyBuffer(size int) []byte {
	if b, ok := bodies.Get().(*[]byte); ok && cap(*b) >= size {
		return (*b)[:0]
	}
	return make([]byte, 0, size)
}

// giveBack keeps a buffer that nobody reads any more, unless it is a large one.
func giveBack(b []byte) {
	if cap(b) <= groupBytes {
		bodies.Put(&b)
	}
}
