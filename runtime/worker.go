package runtime

import (
	"context"
	"errors"
	"fmt"
)

// ErrNoInstance says that a module which was instantiated before cannot be instantiated
// again: the node cannot go on. It hides a *Failure on purpose, since the message at
// hand is not at fault.
var ErrNoInstance = errors.New("runtime: no instance can be made")

// Worker runs one module's messages on one goroutine, replacing the instance whenever
// it is spent. It is what makes "a guest never sees half-written state" (flavors.md,
// promise 4) true for every flavor.
type Worker struct {
	module    Module
	host      Host
	onRecycle func(Recycle)
	instance  Transform
}

// NewWorker instantiates the module once, so that a module which cannot start is
// found before any message. onRecycle may be nil; it is told of every replacement.
func NewWorker(ctx context.Context, module Module, host Host, onRecycle func(Recycle)) (*Worker, error) {
	w := &Worker{module: module, host: host, onRecycle: onRecycle}
	return w, w.ensure(ctx)
}

// Apply is Transform.Apply on a usable instance. An error that is no *Failure and not
// ctx's is ErrNoInstance or another fault of the world: the node cannot go on.
func (w *Worker) Apply(ctx context.Context, in Message) (Result, error) {
	if err := w.again(ctx); err != nil {
		return Result{}, err
	}
	result, err := w.instance.Apply(ctx, in)
	if reason := w.instance.Spent(); reason != RecycleNone {
		if closeErr := w.recycle(reason); err == nil {
			err = closeErr
		}
	}
	return result, err
}

// Close releases the instance. It is idempotent.
func (w *Worker) Close() error {
	if w.instance == nil {
		return nil
	}
	instance := w.instance
	w.instance = nil
	return instance.Close()
}

func (w *Worker) ensure(ctx context.Context) error {
	if w.instance != nil {
		return nil
	}
	instance, err := w.module.Instantiate(ctx, w.host)
	if err != nil {
		return err
	}
	w.instance = instance
	return nil
}

// again is ensure for a message: that there is no instance is not the message's fault, and an
// end of the run is nobody's.
func (w *Worker) again(ctx context.Context) error {
	err := w.ensure(ctx)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return fmt.Errorf("%w: %v", ErrNoInstance, err)
}

func (w *Worker) recycle(reason Recycle) error {
	if w.onRecycle != nil {
		w.onRecycle(reason)
	}
	return w.Close()
}
