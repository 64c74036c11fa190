package process

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

// Proves that bodies come out of an inbox whole and in order, whatever their sizes and the
// sizes of the reads, and stay as they were while later ones are read.
func TestInbox(t *testing.T) {
	sizes := []int{0, 1, 300, inboxMost, inboxMost + 1, 7, inboxBytes, 2 * inboxBytes, 0, 9}
	for range 300 {
		sizes = append(sizes, 311)
	}
	var stream []byte
	for n, size := range sizes {
		frame, at := beginFrame(nil, frameMessage)
		stream = append(stream, endFrame(append(frame, bytes.Repeat([]byte{byte(n)}, size)...), at)...)
	}
	for name, from := range map[string]io.Reader{
		"whole": bytes.NewReader(stream), "halves": iotest.HalfReader(bytes.NewReader(stream)), "bytes": iotest.OneByteReader(bytes.NewReader(stream)),
	} {
		t.Run(name, func(t *testing.T) {
			in := inbox{from: from}
			var bodies [][]byte
			for range sizes {
				body, err := in.frame(frameMessage, maxMessage)
				if err != nil {
					t.Fatal(err)
				}
				bodies = append(bodies, body)
			}
			for n, body := range bodies {
				if len(body) != sizes[n] || cap(body) > max(len(body), inboxMost) || bytes.Count(body, []byte{byte(n)}) != sizes[n] {
					t.Errorf("body %d: %d bytes of %d", n, len(body), sizes[n])
				}
			}
			if _, err := in.frame(frameMessage, maxMessage); !errors.Is(err, io.EOF) {
				t.Errorf("behind the last: %v", err)
			}
		})
	}
}

// Proves that a stream which ends within a frame is no clean end.
func TestInboxCut(t *testing.T) {
	frame, at := beginFrame(nil, frameMessage)
	frame = endFrame(append(frame, "body"...), at)
	for n := 1; n < len(frame); n++ {
		in := inbox{from: bytes.NewReader(frame[:n])}
		if _, err := in.frame(frameMessage, maxMessage); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}
