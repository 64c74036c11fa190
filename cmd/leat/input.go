package main

import (
	"context"
	"io"
)

// inputBytes is how much one read takes at most.
const inputBytes = 64 << 10

// input is standard input for a verb that reads it itself: a read that waits, for a terminal or for a pipe that says
// nothing, ends with the context. The stream cannot be woken: its reader is then left behind, which holds nothing but
// its buffer and ends with the stream or the process. It is not safe for concurrent use.
type input struct {
	ctx    context.Context
	stream io.Reader
	buffer []byte
}

func newInput(ctx context.Context, stream io.Reader) *input {
	return &input{ctx, stream, make([]byte, inputBytes)}
}

func (i *input) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err // somebody may be left behind, who has the buffer
	}
	type result struct {
		n   int
		err error
	}
	read := make(chan result, 1)
	go func() {
		n, err := i.stream.Read(i.buffer[:min(len(p), len(i.buffer))])
		read <- result{n, err}
	}()
	select {
	case r := <-read:
		return copy(p, i.buffer[:r.n]), r.err
	case <-i.ctx.Done():
		return 0, i.ctx.Err()
	}
}
