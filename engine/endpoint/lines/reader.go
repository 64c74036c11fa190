package lines

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// BufferBytes is the size of one read.
const BufferBytes = 64 << 10

// Line is one line of a stream.
type Line struct {
	// Text is the line without its ending; of a line that is longer than the limit, its first
	// bytes. It is valid until the next call.
	Text []byte
	// Length is the length of the whole text in bytes; more than len(Text) only if the
	// line is over-long.
	Length int64
	// Size is the number of bytes that the line takes in the stream, its ending included.
	Size int64
	// Ended says whether the line has its ending.
	Ended bool
}

// Long says whether the line was longer than the limit.
func (l Line) Long() bool { return l.Length > int64(len(l.Text)) }

// Reader cuts a stream into lines of at most a limit of bytes. It belongs to one goroutine.
type Reader struct {
	source *bufio.Reader
	limit  int
	// head holds the first bytes of the line at hand where they did not come in one read: at
	// most limit and the two bytes of an ending.
	head []byte
	size int64 // of the line at hand
}

// NewReader reads from source. limit is the longest text in bytes, at least 1.
func NewReader(source io.Reader, limit int) *Reader {
	return &Reader{source: bufio.NewReaderSize(source, BufferBytes), limit: limit}
}

// Next returns the next line that has its ending. At the end of the stream it returns
// io.EOF and keeps the unfinished line: call Next again when the stream may have grown, or Rest.
// An error of the stream is returned as it is; what was read of the line is kept.
func (r *Reader) Next() (Line, error) {
	for {
		part, err := r.source.ReadSlice('\n')
		r.size += int64(len(part))
		if err == nil && len(r.head) == 0 && r.size == int64(len(part)) {
			return r.finish(part, true), nil
		}
		r.keep(part)
		if err == nil {
			return r.finish(r.head, true), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return Line{}, err
		}
	}
}

// Rest returns the unfinished line at the end of the stream; false if there is none.
func (r *Reader) Rest() (Line, bool) {
	if r.size == 0 {
		return Line{}, false
	}
	return r.finish(r.head, false), true
}

// Unfinished is the number of bytes of the line that has begun but not ended.
func (r *Reader) Unfinished() int64 { return r.size }

// HasLine says whether Next returns a line without reading from the stream.
func (r *Reader) HasLine() bool {
	waiting, _ := r.source.Peek(r.source.Buffered())
	return bytes.IndexByte(waiting, '\n') >= 0
}

// keep adds a part of a line to head as far as the limit and an ending reach.
func (r *Reader) keep(part []byte) {
	room := r.limit + len("\r\n") - len(r.head)
	r.head = append(r.head, part[:min(len(part), room)]...)
}

// finish makes a Line of what was kept and resets the Reader for the next one. Where keep
// cut the line, a "\r" before the "\n" was lost with the rest and counts as text.
func (r *Reader) finish(kept []byte, ended bool) Line {
	line := Line{Text: kept, Length: r.size, Size: r.size, Ended: ended}
	if ended {
		line.Length--
	}
	if r.size == int64(len(kept)) {
		line.Text = cutEnding(kept)
		line.Length = int64(len(line.Text))
	}
	line.Text = line.Text[:min(len(line.Text), r.limit)]
	r.head, r.size = r.head[:0], 0
	return line
}

func cutEnding(text []byte) []byte {
	n := len(text)
	if n == 0 || text[n-1] != '\n' {
		return text
	}
	if n > 1 && text[n-2] == '\r' {
		n--
	}
	return text[:n-1]
}

// bom is the byte order mark, which stands at the beginning of a text only.
var bom = []byte("\uFEFF")

// CutBOM removes a byte order mark. Call it on the first line of a stream, and no other.
func CutBOM(line Line) Line {
	if text, ok := bytes.CutPrefix(line.Text, bom); ok {
		line.Text, line.Length = text, line.Length-int64(len(bom))
	}
	return line
}
