package process

import "io"

// inbox reads frames into chunks, of which small bodies are cut as they came: no copy, and no
// allocation of their own. It never writes to what it gave away.
type inbox struct {
	from  io.Reader
	chunk []byte // what was read and not given away is chunk[at:have]
	at    int
	have  int
}

const (
	inboxBytes = 64 << 10
	// inboxMost is the longest body that is cut from a chunk: one that is kept keeps its
	// neighbours.
	inboxMost = inboxBytes / 32
)

// buffered returns how many bytes wait.
func (i *inbox) buffered() int { return i.have - i.at }

// Peek returns the next n bytes, which stay as they are. REQUIRES: n <= inboxMost.
func (i *inbox) Peek(n int) ([]byte, error) {
	if i.at+n > len(i.chunk) {
		chunk := make([]byte, inboxBytes)
		i.at, i.have, i.chunk = 0, copy(chunk, i.chunk[i.at:i.have]), chunk
	}
	if missing := n - i.buffered(); missing > 0 {
		read, err := io.ReadAtLeast(i.from, i.chunk[i.have:], missing)
		i.have += read
		if err == io.EOF && i.buffered() > 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
	}
	return i.chunk[i.at : i.at+n : i.at+n], nil
}

// Discard passes bytes over. REQUIRES: n <= buffered.
func (i *inbox) Discard(n int) (int, error) {
	i.at += n
	return n, nil
}

// Read reads what waits, and then what comes.
func (i *inbox) Read(p []byte) (int, error) {
	if i.buffered() == 0 {
		return i.from.Read(p)
	}
	n := copy(p, i.chunk[i.at:i.have])
	i.at += n
	return n, nil
}

// frame is readFrame. The body belongs to the caller, who may read it for ever.
func (i *inbox) frame(kind byte, limit int64) ([]byte, error) {
	size, err := readHeader(i, kind, limit)
	if err != nil {
		return nil, err
	}
	var body []byte
	if size > inboxMost {
		body, err = readBody(i, make([]byte, min(size, readStep)), size)
	} else {
		body, err = i.Peek(int(size))
		i.at += len(body)
	}
	if err == io.EOF { // which is a clean end only in front of a header
		err = io.ErrUnexpectedEOF
	}
	return body, err
}
