package script

import (
	"fmt"

	"github.com/dop251/goja"

	"github.com/leat-run/leat/runtime"
)

// limit is the end of a guest's run that the guest cannot catch: goja looks through
// Unwrap for its own InterruptedError and runs neither catch nor finally then. It is
// both what Interrupt is given and what a native panics with.
type limit struct {
	kind     runtime.Kind
	message  string
	hint     string
	measured int64
	limit    int64
	sampled  bool  // by the clock, of what the whole process holds
	cause    error // the engine's own reason to stop, such as a cancelled context
	stack    []goja.StackFrame
}

func (l *limit) Error() string { return l.message }

// Unwrap is what makes l uncatchable (see goja's asUncatchableException).
func (l *limit) Unwrap() error { return &goja.InterruptedError{} }

// deterministic says whether the same message meets the same limit again.
func (l *limit) deterministic() bool {
	return l.kind != runtime.KindTimeout && l.kind != runtime.KindOther && !l.sampled
}

// stop ends the guest with l at once. Call it from natives only: the flag stops the
// bytecode that would run while the panic unwinds (an iterator's return method).
func (in *instance) stop(l *limit) {
	l.stack = in.vm.CaptureCallStack(maxFrames, nil)
	in.vm.Interrupt(l)
	panic(l)
}

// spend charges fuel for work that a native is about to do. It ends the guest when the
// fuel is used up, or when the watchdog has fired.
func (in *instance) spend(units int64) {
	in.fuel -= units
	if in.profile != nil {
		in.sample(units)
	}
	if in.fuel < 0 {
		in.stop(in.outOfFuel())
	}
	if l := in.watched.fired(); l != nil {
		in.stop(l)
	}
}

// allocate charges a native's allocation before it is made: fuel in proportion, and
// an end of kind memory when the one request is larger than the budget.
func (in *instance) allocate(bytes int64) {
	in.allocated += bytes
	if bytes > in.budget.Memory {
		in.stop(in.outOfMemory(bytes))
	}
	in.spend(bytes >> 5)
}

func (in *instance) outOfFuel() *limit {
	spent := in.granted - in.fuel
	return &limit{
		kind:     runtime.KindFuel,
		message:  "the script used up its fuel",
		hint:     "raise budget.fuel on the node if this message is meant to cost that much (leat tune suggests a value)",
		measured: spent,
		limit:    in.granted,
	}
}

func (in *instance) outOfMemory(bytes int64) *limit {
	return &limit{
		kind:     runtime.KindMemory,
		message:  fmt.Sprintf("the script asked for %d bytes at once", bytes),
		hint:     "build large values piece by piece, or raise budget.memory; a script's memory is measured approximately",
		measured: bytes,
		limit:    in.budget.Memory,
	}
}

func tooLong(measured, most int64) *limit {
	return &limit{
		kind:     runtime.KindMemory,
		message:  "the script built a string or an array beyond its cap",
		hint:     "raise budget.memory: the cap of one value is an eighth of it",
		measured: measured,
		limit:    most,
	}
}

// badInput is the failure of a message that cannot be given to the guest.
func badInput(message, hint string, measured, most int64) *limit {
	return &limit{kind: runtime.KindInput, message: message, hint: hint, measured: measured, limit: most}
}

// badOutput is the failure of a value that is no message.
func badOutput(message, hint string) *limit {
	return &limit{kind: runtime.KindOutput, message: message, hint: hint}
}
