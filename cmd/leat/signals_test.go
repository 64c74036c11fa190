package main

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// Proves that a signal which comes while guests are being started is an interruption and no
// failure, that what was said stays, and that nothing else becomes one.
func TestInterrupted(t *testing.T) {
	signalled, cancel := context.WithCancelCause(t.Context())
	cancel(errSignal)
	ended, stop := context.WithCancel(t.Context())
	stop()
	starting := fmt.Errorf("stage: fold: %w", context.Canceled)
	broken := errors.New("the disk is gone")
	for name, c := range map[string]struct {
		ctx  context.Context
		err  error
		want exitCode
	}{
		"a signal": {signalled, starting, exitInterrupted}, "with a code": {signalled, fail(exitFailed, "", starting), exitInterrupted},
		"another end": {ended, starting, exitInternal}, "another fault": {signalled, fail(exitFailed, "", broken), exitFailed}, "none": {signalled, nil, exitCompleted},
	} {
		got := interrupted(c.ctx, c.err)
		if codeOf(got) != c.want || !errors.Is(got, c.err) {
			t.Errorf("%s: %v, %d", name, got, codeOf(got))
		}
	}
}
