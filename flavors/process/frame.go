package process

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// A frame is its body's length (4 bytes, little endian), one byte that says what it is, and
// the body.
const frameHeader = 5

const (
	frameLoad    = 'L' // parent: code and settings; the first frame
	frameLoaded  = 'l' // child: digest and warnings, or why not
	frameMessage = 'M' // parent
	frameAnswer  = 'a' // child: one per message, in their order
)

const (
	maxLoad    = 128 << 20 // a module of 64 MiB as JSON
	maxMessage = 1 << 30   // the child's own limit; the parent refuses what is longer
	// readStep is how much a body may grow before its next bytes have come: a length is
	// never believed as such.
	readStep = 1 << 20
)

// frames is what frames are read from: a *bufio.Reader or an inbox.
type frames interface {
	io.Reader
	Peek(n int) ([]byte, error)
	Discard(n int) (int, error)
}

// beginFrame appends a header whose length endFrame fills in.
func beginFrame(b []byte, kind byte) ([]byte, int) {
	at := len(b)
	return append(b, 0, 0, 0, 0, kind), at
}

func endFrame(b []byte, at int) []byte {
	binary.LittleEndian.PutUint32(b[at:], uint32(len(b)-at-frameHeader))
	return b
}

// readFrame reads one frame of the wanted kind. The body belongs to the caller.
func readFrame(r frames, kind byte, limit int64) ([]byte, error) {
	size, err := readHeader(r, kind, limit)
	if err != nil {
		return nil, err
	}
	return readBody(r, make([]byte, min(size, readStep)), size)
}

// borrowFrame is readFrame without a copy where the frame fits into r's buffer: the body is
// then lent until r is read again.
func borrowFrame(r *bufio.Reader, kind byte, limit int64) (body []byte, lent bool, err error) {
	size, err := readHeader(r, kind, limit)
	if err != nil {
		return nil, false, err
	}
	if size > int64(r.Size()) {
		body, err = readBody(r, make([]byte, min(size, readStep)), size)
		return body, false, err
	}
	if body, err = r.Peek(int(size)); err != nil {
		return nil, false, err
	}
	_, err = r.Discard(int(size))
	return body, true, err
}

func readHeader(r frames, kind byte, limit int64) (int64, error) {
	header, err := r.Peek(frameHeader)
	if err != nil {
		return 0, err
	}
	size := int64(binary.LittleEndian.Uint32(header))
	if header[4] != kind {
		return 0, fmt.Errorf("%w: kind %q, want %q", errMalformed, header[4], kind)
	}
	if size > limit {
		return 0, fmt.Errorf("%w: %d bytes, at most %d", errMalformed, size, limit)
	}
	_, err = r.Discard(frameHeader)
	return size, err
}

// readBody reads size bytes, the first of them into body.
func readBody(r io.Reader, body []byte, size int64) ([]byte, error) {
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, err
	}
	for int64(len(body)) < size {
		more := min(size-int64(len(body)), int64(len(body)))
		body = append(body, make([]byte, more)...)
		if _, err := io.ReadFull(r, body[int64(len(body))-more:]); err != nil {
			return nil, err
		}
	}
	return body, nil
}
