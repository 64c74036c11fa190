package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// errSignal is the cause of a context that a signal ended.
var errSignal = errors.New("interrupted by a signal")

// interrupted gives what a signal ended its exit code: also where it came while guests were
// still being started.
func interrupted(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) && errors.Is(context.Cause(ctx), errSignal) {
		return fail(exitInterrupted, "", fmt.Errorf("%w: %w", errSignal, err))
	}
	return err
}

// withSignals returns a context that the first SIGINT or SIGTERM cancels (drain) with the
// cause errSignal; a second one ends the process at once with exit code 6. stop waits for the
// watching goroutine.
func withSignals(parent context.Context, stderr io.Writer) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	done, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		select {
		case <-done:
			return
		case <-signals:
			cancel(errSignal)
		}
		select {
		case <-done:
		case <-signals:
			fmt.Fprintln(stderr, "leat: second signal: ending at once: what was not committed replays on the next run")
			os.Exit(int(exitInterrupted))
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		<-over
		cancel(nil)
	}
}
