package wasm

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/leat-run/leat/flavors/wasm/meter"
	"github.com/leat-run/leat/runtime"
)

// gauge is the host's half of the meter: the guest counts, and asks here whenever what it
// was granted is used up. That is where budget, deadline and cancellation are looked at,
// on the guest's own goroutine: no other one ever touches a running guest.
type gauge struct {
	account  meter.Account
	chunk    int64 // fuel granted at a time
	fixed    bool  // it stays as it is, for tests
	granted  time.Time
	counter  api.MutableGlobal // nil before the start function ran
	deadline time.Time
	timeout  time.Duration
	budget   int64
	stack    int
	ctx      context.Context // of the call at hand
	yielded  time.Time
	unseen   int // bytes that host functions moved since the last look at the deadline
}

// Why the gauge ends a guest.
var (
	errFuel    = errors.New("wasm: the fuel is spent")
	errTimeout = errors.New("wasm: the deadline has passed")
	errStack   = errors.New("wasm: the calls nest too deep")
)

// canceledError carries the context's error out of the guest.
type canceledError struct{ err error }

func (e *canceledError) Error() string { return "wasm: " + e.err.Error() }
func (e *canceledError) Unwrap() error { return e.err }

// yieldEvery is how long a guest keeps its processor at most. Native code is not preempted:
// without a yield every timer, and the garbage collector, waits for the guest.
const yieldEvery = time.Millisecond

// A grant should last between these two: long enough that asking costs nothing, short enough
// that a deadline is seen in time. What a unit takes differs by a factor of a thousand,
// between additions and loads that miss every cache.
const (
	grantAtLeast = 200 * time.Microsecond
	grantAtMost  = 500 * time.Microsecond

	firstChunk = 100_000
	leastChunk = 10_000
	mostChunk  = 2_000_000
)

// adapt chooses the size of the next grant after the last one has lasted for a time.
func (g *gauge) adapt(lasted time.Duration) {
	switch {
	case g.fixed:
		return
	case lasted < grantAtLeast:
		g.chunk = min(2*g.chunk, mostChunk)
	case lasted > grantAtMost:
		g.chunk = max(g.chunk/4, leastChunk)
	default:
		return
	}
	g.account.SetChunk(g.chunk)
}

// attach finds the counter of an instance.
func (g *gauge) attach(guest api.Module) {
	g.counter, _ = guest.ExportedGlobal(meter.CounterExport).(api.MutableGlobal)
}

// open starts a call with a budget of its own.
func (g *gauge) open(ctx context.Context, started time.Time, budget runtime.Budget) {
	if !g.fixed {
		g.chunk = firstChunk
	}
	account, counter := meter.Open(budget.Fuel, g.chunk, budget.Stack)
	g.account, g.budget, g.stack, g.timeout = account, budget.Fuel, min(budget.Stack, meter.MaxStack), budget.Timeout
	g.deadline, g.yielded, g.granted, g.ctx = started.Add(budget.Timeout), started, started, ctx
	if g.counter == nil {
		return
	}
	// The first grant is made here, so that a short call never asks. A budget of less than
	// nothing cannot be granted: then the guest's first check asks, and is told.
	if add, ok := g.account.Grant(counter - meter.Units(1)); ok {
		counter += add
	}
	g.counter.Set(uint64(counter))
}

// refill is asked by the guest when its grant is used up, and returns the new counter.
func (g *gauge) refill(counter int64) int64 {
	if meter.TooDeep(counter) {
		panic(errStack)
	}
	now := g.look()
	g.adapt(now.Sub(g.granted))
	g.granted = now
	add, ok := g.account.Grant(counter)
	if !ok {
		panic(errFuel)
	}
	if add != 0 && g.counter != nil { // keeps Used exact if the guest traps before it stores the counter
		g.counter.Set(g.counter.Get() + uint64(add))
	}
	return counter + add
}

// look ends the guest if its time is over, and lets others run. It returns the time.
func (g *gauge) look() time.Time {
	g.unseen = 0
	if err := g.ctx.Err(); err != nil {
		panic(&canceledError{err})
	}
	now := time.Now()
	if now.After(g.deadline) {
		panic(errTimeout)
	}
	if now.Sub(g.yielded) > yieldEvery {
		goruntime.Gosched()
		now = time.Now()
		g.yielded = now
	}
	return now
}

// Host functions charge a unit for every 4 bytes that they move, as the guest's own bulk
// operations cost.
const bytesPerUnit = 4

// chargeLooks is how many bytes moved in host calls since the last look at the deadline make
// for another.
const chargeLooks = 1 << 20

// charge takes fuel for work that a host function is about to do. The guest asks for more
// at its next check; a charge of more than a grant is looked at here, so that no number of
// large host calls passes the deadline unseen.
func (g *gauge) charge(bytes int) {
	if g.counter == nil {
		return
	}
	counter := int64(g.counter.Get()) - meter.Units(int64(bytes/bytesPerUnit))
	g.counter.Set(uint64(counter))
	if g.unseen += bytes; g.unseen > chargeLooks {
		g.look()
	}
}

func (g *gauge) used() int64 {
	if g.counter == nil {
		return 0
	}
	return g.account.Used(int64(g.counter.Get()))
}

// overspent says that the last stretch before the guest's end went past the budget.
func (g *gauge) overspent() bool {
	return g.counter != nil && g.account.Spent(int64(g.counter.Get()))
}

// failure says what the gauge ended the guest for, or nil if it did not.
func (g *gauge) failure(err error, started time.Time) *runtime.Failure {
	switch {
	case errors.Is(err, errFuel):
		return &runtime.Failure{
			Kind: runtime.KindFuel, Deterministic: true, Message: fmt.Sprintf("the guest used up its fuel of %d units", g.budget),
			Hint: "look for a loop that does not end, or raise the node's budget.fuel (`leat tune` says to what)", Measured: max(g.used(), g.budget), Limit: g.budget, Cause: errFuel,
		}
	case errors.Is(err, errTimeout):
		return &runtime.Failure{
			Kind: runtime.KindTimeout, Message: fmt.Sprintf("the guest ran longer than %v", g.timeout),
			Hint:     "look for a loop that does not end, or raise the node's budget.timeout",
			Measured: max(time.Since(started).Milliseconds(), 1), Limit: max(g.timeout.Milliseconds(), 1), Cause: errTimeout,
		}
	case errors.Is(err, errStack):
		return &runtime.Failure{
			Kind: runtime.KindStack, Deterministic: true, Message: "the calls nest too deep",
			Hint: "end the recursion, or raise the node's budget.stack", Measured: int64(g.stack) + 1, Limit: int64(g.stack), Cause: errStack,
		}
	}
	return nil
}

// meterFunctions are what a rewritten module asks. A guest that imports them by itself is
// refused by the rewriter.
func meterFunctions() []hostFunction {
	ask := func(i *instance, stack []uint64) { stack[0] = uint64(i.gauge.refill(int64(stack[0]))) }
	return []hostFunction{
		{meter.RefillName, sig("I", "I"), ask},
		{meter.EnterName, sig("I", "I"), ask},
	}
}
