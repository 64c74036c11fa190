package store

import "fmt"

// The first byte of a value says how the rest is laid out. A new layout is a new
// constant; a reader knows every one that was ever shipped, and testdata/stores has a
// frozen store for each.
const (
	rowFormat        = 1
	checkpointFormat = 1
	trimFormat       = 1
	nodeFormat       = 1
	letterFormat     = 1
	letterIDFormat   = 1
	storeFormat      = 1
	topicFormat      = 1
	extentFormat     = 1
	recordFormat     = 1
	positionFormat   = 1
)

// openValue checks the format byte and returns a reader of the rest.
func openValue(value []byte, known byte, noun string) wireReader {
	r := wireReader{rest: value}
	if got := r.byte(); r.err == nil && got != known {
		r.fail("format byte")
		r.err = fmt.Errorf("%w: %s of format %d, this program knows %d", ErrFormat, noun, got, known)
	}
	return r
}
