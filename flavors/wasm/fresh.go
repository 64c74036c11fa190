package wasm

import (
	"context"
	"errors"
	"fmt"

	"github.com/leat-run/leat/runtime"
)

// fresh gives every message an instance in its initial state, so that result and fuel
// follow from code and message alone. It replaces what it cannot bring back, and is spent
// where that was the message's doing: to put an initial state back recycles nothing.
type fresh struct {
	module *module
	host   runtime.Host
	next   *instance // in its initial state, or nil
	spent  runtime.Recycle
}

// Apply runs the guest on one message, and then prepares the instance for the next.
func (f *fresh) Apply(ctx context.Context, in runtime.Message) (runtime.Result, error) {
	if err := f.ensure(ctx); err != nil {
		return runtime.Result{}, err
	}
	i := f.next
	result, err := i.Apply(ctx, in)
	if f.spent = i.spent; f.spent == runtime.RecycleNone && f.module.image != nil && i.reset(f.module.image) {
		return result, err
	}
	f.next = nil
	return result, errors.Join(err, i.Close())
}

func (f *fresh) ensure(ctx context.Context) error {
	if err := ctx.Err(); err != nil || f.next != nil {
		return err
	}
	i, err := f.module.take(ctx, f.host)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%w: %v", runtime.ErrNoInstance, err)
	}
	f.next = i
	return nil
}

// Spent is why the instance of the last message had to be replaced.
func (f *fresh) Spent() runtime.Recycle { return f.spent }

// Close releases the instance.
func (f *fresh) Close() error {
	if f.next == nil {
		return nil
	}
	i := f.next
	f.next = nil
	return i.Close()
}
