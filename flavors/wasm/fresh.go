package wasm

import (
	"context"
	"errors"
	"fmt"

	"github.com/leat-run/leat/runtime"
)

// fresh gives every message an instance in its initial state, so that result and fuel
// follow from code and message alone. It is never spent.
type fresh struct {
	module *module
	host   runtime.Host
}

// Apply runs the guest on one message.
func (f *fresh) Apply(ctx context.Context, in runtime.Message) (runtime.Result, error) {
	if err := ctx.Err(); err != nil {
		return runtime.Result{}, err
	}
	i, err := f.module.take(ctx, f.host)
	switch {
	case err != nil && ctx.Err() != nil:
		return runtime.Result{}, ctx.Err()
	case err != nil:
		return runtime.Result{}, fmt.Errorf("%w: %v", runtime.ErrNoInstance, err)
	}
	result, err := i.Apply(ctx, in)
	return result, errors.Join(err, i.Close())
}

// Spent is never set.
func (f *fresh) Spent() runtime.Recycle { return runtime.RecycleNone }

// Close has nothing to release.
func (f *fresh) Close() error { return nil }
