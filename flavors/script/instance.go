package script

import (
	"context"
	"errors"
	"time"

	"github.com/dop251/goja"

	"github.com/leat-run/leat/runtime"
)

// instance is one VM with the module's body run in it. It belongs to one goroutine.
type instance struct {
	module  *module
	budget  runtime.Budget
	vm      *goja.Runtime
	watched *watched
	boot    goja.Callable // runs the module body, returns its exports
	entry   goja.Callable // the transform
	ctx     goja.Value    // the guest's second argument
	tick    []goja.Value  // what rewritten code calls (ticks.go)
	// Object.getOwnPropertyDescriptor and "length", from before guest code ran.
	describeProperty goja.Callable
	lengthName       goja.Value
	// Built-ins as they were before guest code ran.
	indexOf, mathPow, mapSize, setSize, freezeObject nativeFunction
	functionText                                     nativeFunction
	frame                                            nativeFunction // makes a function of the prelude that calls, or constructs, another
	depth                                            int            // how many built-ins stand inside each other (nest.go)
	joining                                          []*goja.Object // arrays that are being joined, outermost first
	forgetSymbols                                    goja.Callable  // the names that Symbol.for knows
	patterns                                         patterns
	log                                              logger
	indexer                                          indexer
	documents                                        []*document // of the message at hand
	encoder                                          encoder

	// What the message at hand has spent and left behind.
	message    runtime.Message
	granted    int64 // the fuel that it began with
	fuel       int64
	allocated  int64
	written    int64
	unsafe     map[float64]string
	random     random
	rejections []*goja.Promise

	// Set while a message of a profiled module runs.
	profile *runtime.FuelProfile
	frames  []goja.StackFrame

	spent  runtime.Recycle
	closed bool
}

// instantiate makes a hardened VM and runs the module body under the node's budget.
func (m *module) instantiate(ctx context.Context, host runtime.Host) (*instance, error) {
	in := &instance{module: m, budget: m.settings.Budget, vm: goja.New()}
	in.log = logger{emit: host.Log, limit: in.budget.Log}
	in.encoder.in = in
	in.indexer.limit = in.budget.Memory
	in.watched = m.flavor.dog.add(in.vm, in.budget.Timeout, in.budget.Memory)
	in.prepare()
	if err := in.start(ctx); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return in, nil
}

// Apply runs the transform on one message. See runtime.Transform.
func (in *instance) Apply(ctx context.Context, m runtime.Message) (runtime.Result, error) {
	started := time.Now()
	if failure := in.tooLarge(m); failure != nil {
		return runtime.Result{}, failure
	}
	var result runtime.Result
	in.begin(m)
	if in.module.settings.State == runtime.StateFresh {
		if usage, err := in.renew(ctx, started); err != nil {
			return runtime.Result{Usage: usage}, err
		}
	}
	in.watched.arm(ctx, time.Now())
	in.profile = in.module.profile
	err := in.guarded(func() error {
		if err := in.run(m, &result); err != nil {
			return err
		}
		in.spend(0) // an end that fell into a promise's job is seen by nobody else
		return nil
	})
	in.profile = nil
	late := in.watched.disarm()
	result.Usage = in.usage(started)
	if err == nil {
		in.end()
		return result, nil // a verdict that came after the end blames nobody (C28)
	}
	in.spent = recycleAfter(err)
	usage := runtime.Result{Usage: result.Usage}
	return usage, in.failure(ctx, err, late)
}

// run calls the transform and converts what it returned.
func (in *instance) run(m runtime.Message, result *runtime.Result) error {
	if in.module.code.Entry != runtime.EntryTransform {
		returned, err := in.entry(goja.Undefined(), in.arguments(m)...)
		if err != nil {
			return err
		}
		result.Out, result.Null = in.answer(m, returned)
		return in.unhandled()
	}
	view := &messageView{in: in, message: m}
	view.object = in.vm.NewDynamicObject(view)
	returned, err := in.entry(goja.Undefined(), view.object, in.ctx)
	if err != nil {
		return err
	}
	result.Out, result.Null = in.outputs(m, returned)
	return in.unhandled()
}

// begin resets what belongs to one message.
func (in *instance) begin(m runtime.Message) {
	in.closeDocuments()
	in.message = m
	in.grant(in.budget.Fuel)
	in.random = newRandom(m.ID)
	if in.unsafe != nil {
		clear(in.unsafe)
	}
	in.rejections = in.rejections[:0]
	in.joining = in.joining[:0]
	in.log.reset()
}

// grant begins the accounts anew.
func (in *instance) grant(fuel int64) {
	in.granted, in.fuel, in.allocated, in.written = fuel, fuel, 0, 0
}

// end drops what the message at hand would keep alive.
func (in *instance) end() {
	in.closeDocuments()
	in.message = runtime.Message{}
	if cap(in.encoder.buf) > 1<<20 {
		in.encoder.buf = nil
	}
}

func (in *instance) usage(started time.Time) runtime.Usage {
	return runtime.Usage{
		Fuel:     in.granted - in.fuel,
		Duration: time.Since(started),
		Memory:   in.allocated + int64(len(in.message.Payload)) + in.written,
	}
}

func (in *instance) tooLarge(m runtime.Message) error {
	if size := int64(len(m.Payload)); size > in.budget.Input {
		return &runtime.Failure{
			Kind: runtime.KindInput, Deterministic: true,
			Message:  "the payload is larger than budget.input",
			Hint:     "raise budget.input, or split the message before this node",
			Measured: size, Limit: in.budget.Input,
		}
	}
	return nil
}

// Spent says why the instance must be replaced. See runtime.Transform.
func (in *instance) Spent() runtime.Recycle { return in.spent }

// Close takes the instance out of the watchdog's sight. It is idempotent.
func (in *instance) Close() error {
	if !in.closed {
		in.closed = true
		in.module.flavor.dog.remove(in.watched)
	}
	return nil
}
