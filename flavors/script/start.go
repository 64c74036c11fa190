package script

import (
	"context"
	"errors"
	"time"

	"github.com/dop251/goja"

	"github.com/leat-run/leat/runtime"
)

// startFuel bounds a module body: packages build tables when they load.
const startFuel = 50_000_000

// startTimeout is the least time that a module body is given.
const startTimeout = 2 * time.Second

// start runs the module body for the first time and finds the entry point.
func (in *instance) start(ctx context.Context) error {
	in.begin(runtime.Message{Ingested: time.Unix(0, 0).UTC()})
	late, err := in.evaluate(ctx, func() error {
		if err := in.configure(); err != nil {
			return err
		}
		boot, err := in.vm.RunProgram(in.module.program)
		if err != nil {
			return err
		}
		in.boot, _ = goja.AssertFunction(boot)
		return in.restart()
	})
	if err == nil {
		return in.noEntry()
	}
	failure := in.bodyFailure(ctx, err, late)
	var f *runtime.Failure
	if errors.As(failure, &f) && f.Kind == runtime.KindGuest {
		f.Kind = runtime.KindCompile
	}
	return failure
}

// renew runs the module body for one message under state: fresh, so that nothing is left of
// the message before. It is metered apart: the message's own accounts begin after it and are
// those of state: reuse. usage is the body's where it fails.
func (in *instance) renew(ctx context.Context, started time.Time) (usage runtime.Usage, err error) {
	in.patterns.forget()
	late, err := in.evaluate(ctx, func() error {
		if _, err := in.forgetSymbols(goja.Undefined()); err != nil {
			return err
		}
		if err := in.restart(); err != nil {
			return err
		}
		in.spend(0) // an end that fell into a promise's job is seen by nobody else
		return in.noEntry()
	})
	if err != nil {
		usage = in.usage(started)
		in.spent = recycleAfter(err)
		return usage, in.bodyFailure(ctx, err, late)
	}
	in.grant(in.budget.Fuel)
	return usage, nil
}

// evaluate runs guest code under the budget of a module body. late is the watchdog's verdict,
// if it fired.
func (in *instance) evaluate(ctx context.Context, body func() error) (late *limit, err error) {
	in.grant(max(in.budget.Fuel, startFuel))
	in.watched.timeout.Store(int64(max(in.budget.Timeout, startTimeout)))
	in.watched.arm(ctx, time.Now())
	err = in.guarded(body)
	late = in.watched.disarm()
	in.watched.timeout.Store(int64(in.budget.Timeout))
	return late, err
}

// bodyFailure is the failure of a module body that ended with err.
func (in *instance) bodyFailure(ctx context.Context, err error, late *limit) error {
	failure := in.failure(ctx, err, late)
	var f *runtime.Failure
	if errors.As(failure, &f) && err != failure {
		f.Message = "the module's body failed: " + f.Message
	}
	return failure
}

// restart runs the module body and takes the entry point from its exports.
func (in *instance) restart() error {
	exports, err := in.boot(goja.Undefined(), in.tick...)
	if err != nil {
		return err
	}
	in.entry = nil
	if f, ok := goja.AssertFunction(exports); ok {
		in.entry = f // module.exports = function
		return nil
	}
	o, ok := exports.(*goja.Object)
	if !ok {
		return nil
	}
	for _, name := range in.module.entryNames() {
		if f, ok := goja.AssertFunction(o.Get(name)); ok {
			in.entry = f
			return nil
		}
	}
	return nil
}

// entryNames lists the exports that can be the transform, the first one found wins.
func (m *module) entryNames() []string {
	if m.code.Function != "" {
		return []string{m.code.Function}
	}
	if m.code.Entry != runtime.EntryTransform {
		return []string{m.code.EntryFunction(), "default"}
	}
	return []string{"default", "transform"}
}

// noEntry is the failure of a module without a transform.
func (in *instance) noEntry() error {
	if in.entry != nil {
		return nil
	}
	message, hint := in.module.missingEntry()
	return &runtime.Failure{
		Kind: runtime.KindCompile, Deterministic: true, File: in.module.code.Name,
		Message: message, Hint: hint,
	}
}
