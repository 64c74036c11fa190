package wasm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/leat-run/leat/runtime"
)

// command runs a WASI program once for each message: the payload is its standard input,
// what it writes to standard output is the one output, and an exit code other than 0 is
// its failure. It is never spent, since every message gets an instance of its own.
type command struct {
	module *module
	host   runtime.Host
}

// Apply runs the program on one message.
func (c *command) Apply(ctx context.Context, in runtime.Message) (runtime.Result, error) {
	started := time.Now()
	if err := ctx.Err(); err != nil {
		return runtime.Result{}, err
	}
	if failure := checkInput(in, c.module.settings.Budget); failure != nil {
		return runtime.Result{Usage: runtime.Usage{Duration: time.Since(started)}}, failure
	}
	i := c.module.newInstance()
	i.log.sink = c.host.Log
	i.begin(in)
	i.apply.stdin = in.Payload
	err := i.bounded(ctx, started, c.module.settings.Budget, (*instance).runCommand)
	result := runtime.Result{Out: i.apply.out, Usage: i.usage(started)}
	if err != nil {
		result.Out = nil
	}
	return result, errors.Join(err, i.Close())
}

// runCommand starts the program and takes its standard output.
func (i *instance) runCommand() error {
	err := i.instantiate(i.Context)
	if err == nil {
		_, err = i.guest.ExportedFunction(exportStart).Call(i)
	}
	var exit *exitError
	switch {
	case errors.As(err, &exit) && exit.code != 0:
		return &runtime.Failure{
			Kind: runtime.KindGuest, Deterministic: true, Message: fmt.Sprintf("the program exited with code %d", exit.code),
			Hint: "what it wrote to standard error is in the log",
		}
	case err != nil && exit == nil:
		return err
	}
	return i.takeStdout()
}

// takeStdout makes an output of what was printed. The line feed that printing a line adds
// is no part of it, unless the input ended with one too.
func (i *instance) takeStdout() (err error) {
	defer raised(&err)
	text := i.apply.stdout
	if !bytes.HasSuffix(i.apply.in.Payload, []byte{'\n'}) {
		text = bytes.TrimSuffix(text, []byte{'\n'})
	}
	if len(text) > 0 {
		i.apply.outBytes -= int64(len(i.apply.stdout)) // counted when it was written
		i.addOutput(text)
	}
	return i.answered()
}

// Spent is never set.
func (c *command) Spent() runtime.Recycle { return runtime.RecycleNone }

// Close has nothing to release.
func (c *command) Close() error { return nil }
