package wasm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/leat-run/leat/runtime"
)

// instance is one running guest. It belongs to one goroutine.
//
// It is also the context of every call into the guest: host functions find it there
// without a look-up and without an allocation per message. The embedded context is the
// one of the Apply at hand.
type instance struct {
	context.Context
	module    *module
	guest     api.Module
	memory    linear
	alloc     api.Function
	room      room
	transform api.Function
	gauge     gauge
	clock     clock
	random    randomSource
	log       journal
	apply     apply
	tracer    *tracer             // nil but for a profile
	globals   []api.MutableGlobal // the guest's own, in the order of the image
	mark      uint64              // the memory size at which the instance is replaced
	spent     runtime.Recycle
	closed    bool
}

// apply is what one Apply gathers.
type apply struct {
	in       runtime.Message
	out      []runtime.Message
	outBytes int64
	meta     runtime.Meta // of the next output; nil as long as it is the input's
	failed   bool         // the guest called fail
	reason   string
	stdin    []byte
	stdout   []byte
}

type instanceKey struct{}

// Value finds the instance itself, and nothing else: wazero asks for options of its own on
// every call, and none of them is the caller's to set.
func (i *instance) Value(key any) any {
	if key == (instanceKey{}) {
		return i
	}
	return nil
}

// Limits of a start. They do not follow the node's budget, which is cut for one message.
const (
	startFuel    = 1_000_000_000
	startTimeout = 10 * time.Second
)

// highWater is how much of the room between its first size and the budget an instance may
// fill before it is replaced: memory never shrinks, and a leak must not fail a message.
const highWater = 0.75

// start makes an instance and runs what the module runs at its start.
func (m *module) start(ctx context.Context) (*instance, error) {
	i := m.newInstance()
	budget := m.settings.Budget
	budget.Fuel, budget.Timeout = startFuel, startTimeout
	first := (*instance).initialize
	if m.image != nil {
		first = (*instance).resume
	}
	if err := i.bounded(ctx, time.Now(), budget, first); err != nil {
		return nil, errors.Join(startFailure(err), i.Close())
	}
	i.alloc = i.guest.ExportedFunction(m.entry.alloc)
	i.transform = i.guest.ExportedFunction(m.entry.transform)
	i.mark = i.memory.size + uint64(highWater*float64(i.memory.limit-i.memory.size))
	return i, nil
}

// resume makes an instance from the module's image instead of running _initialize again.
func (i *instance) resume() error {
	if err := i.instantiate(i.Context); err != nil {
		return err
	}
	if !i.adopt(i.module.image) {
		return errNoMemory
	}
	return nil
}

func (m *module) newInstance() *instance {
	limit := uint64(m.settings.Budget.Memory) / pageBytes * pageBytes
	i := &instance{module: m, memory: linear{limit: limit}, clock: newClock(), gauge: gauge{chunk: m.engine.chunk, fixed: m.engine.chunk > 0}}
	i.log.begin(m.settings.Budget.Log)
	if m.profile != nil {
		i.tracer = &tracer{module: m}
	}
	return i
}

// instantiate makes the wazero instance. A start function of the module runs in it.
func (i *instance) instantiate(ctx context.Context) error {
	i.Context = ctx
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	allocator := experimental.MemoryAllocatorFunc(func(_, _ uint64) experimental.LinearMemory { return &i.memory })
	guest, err := i.module.engine.vm.InstantiateModule(experimental.WithMemoryAllocator(i, allocator), i.module.compiled, config)
	if err != nil {
		return err
	}
	i.guest = guest
	i.gauge.attach(guest)
	return nil
}

// initialize runs the start function and _initialize.
func (i *instance) initialize() error {
	if err := i.instantiate(i.Context); err != nil || !i.module.entry.initialize {
		return err
	}
	return i.guest.ExportedFunction(exportInitialize).CallWithStack(i, nil)
}

// startFailure turns the fault of a start into a load failure.
func startFailure(err error) error {
	var failure *runtime.Failure
	if !errors.As(err, &failure) {
		return err
	}
	failure.Kind = runtime.KindCompile
	failure.Message = "the module does not start: " + failure.Message
	switch {
	case errors.Is(err, errFuel), errors.Is(err, errTimeout):
		failure.Hint = fmt.Sprintf("look for a loop that does not end: a start has %d units of fuel and %v, whatever the node's budget", startFuel, startTimeout)
	case failure.Hint == "":
		failure.Hint = "its start code runs once, before any message"
	}
	return failure
}

// charge counts work that a host function is about to do for the guest.
func (i *instance) charge(bytes int) { i.gauge.charge(bytes) }

// Spent says why the instance must be replaced.
func (i *instance) Spent() runtime.Recycle { return i.spent }

// Close releases the instance and its memory.
func (i *instance) Close() error {
	if i.closed {
		return nil
	}
	i.closed = true
	var err error
	if i.guest != nil {
		err = i.guest.Close(context.Background())
	}
	i.memory.Free()
	return err
}
