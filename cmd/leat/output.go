package main

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
)

// output is standard output. It remembers the first error that a write had: what prints a line may pass over it,
// Main does not. It is safe for concurrent use, as far as to is.
type output struct {
	to    io.Writer
	mu    sync.Mutex
	fault error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.to.Write(p)
	if err != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.fault == nil {
			o.fault = err
		}
	}
	return n, err
}

// verdict is how a command ended that ended with err: with 5 where standard output could not be written. A
// reader that went away knows, and is told nothing.
func (o *output) verdict(err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.fault == nil, codeOf(err) == exitFailed && !errors.Is(err, o.fault):
		return err // a run that could not write its rows has said so
	case errors.Is(o.fault, syscall.EPIPE), errors.Is(o.fault, io.ErrClosedPipe):
		return ended(exitFailed)
	}
	return fail(exitFailed, "give it room, or another place", fmt.Errorf("standard output cannot be written: %w", o.fault))
}
