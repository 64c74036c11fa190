package wasm

import (
	"errors"
	"fmt"
	"regexp"
	goruntime "runtime"
	"strings"
	"time"

	"github.com/leat-run/leat/flavors/wasm/meter"
	"github.com/leat-run/leat/runtime"
)

// Causes of failures that arise in this package; find them with errors.Is.
var (
	// errNoRoom says that leat_alloc returned 0.
	errNoRoom = errors.New("wasm: leat_alloc found no room")
	// errAbort says that AssemblyScript's abort was called.
	errAbort = errors.New("wasm: the guest aborted")
	// errNoMemory says that the machine, not the guest, has no memory left.
	errNoMemory = errors.New("wasm: the system gave no memory for an instance")
)

// failure turns the error of a call into the guest into what Apply returns: a *Failure,
// or, where the fault is ours, an error of the world. It reads identities, never texts.
func (i *instance) failure(err error, started time.Time) error {
	var broken goruntime.Error
	if errors.As(err, &broken) {
		return fmt.Errorf("wasm: a host function broke, which is a fault of leat: %w", err)
	}
	if errors.Is(err, errNoMemory) {
		return err
	}
	failure := i.gauge.failure(err, started)
	if failure == nil {
		failure = classify(err)
	}
	if failure.Kind == runtime.KindStack && failure.Limit == 0 && i.module.engine.interpreted {
		failure.Message = "the calls nest too deep for the interpreter, which runs guests on this processor"
		failure.Measured, failure.Limit = interpreterFrames+1, interpreterFrames
	}
	if i.memory.refused > 0 && bearsOnMemory(failure) {
		failure = i.outOfMemory(failure)
	}
	failure.Backtrace = backtrace(err)
	failure.Log = i.log.end()
	return failure
}

func classify(err error) *runtime.Failure {
	var raised *runtime.Failure
	var exit *exitError
	switch {
	case errors.As(err, &raised):
		return raised
	case errors.As(err, &exit):
		return &runtime.Failure{
			Kind: runtime.KindRuntime, Deterministic: true, Message: exit.Error(), Cause: exit,
			Hint: "a panic or os.Exit ends a guest like this; return an error instead. What it wrote to standard error is in the log",
		}
	}
	if t, found := findTrap(err); found {
		return &runtime.Failure{Kind: t.kind, Deterministic: true, Message: t.text, Hint: t.hint, Cause: t.err}
	}
	return &runtime.Failure{Kind: runtime.KindOther, Message: runtime.Cut(firstLine(err.Error()), runtime.MaxReason), Cause: err}
}

// raised, deferred, makes an error of the failure that a function of ours panicked with outside
// the guest. Any other panic is a fault of ours, and goes on.
func raised(err *error) {
	switch fault := recover().(type) {
	case nil:
	case *runtime.Failure:
		*err = fault
	default:
		panic(fault)
	}
}

// bearsOnMemory says that a failure is one that guests end with when an allocation fails:
// they abort, exit, or follow the null pointer.
func bearsOnMemory(f *runtime.Failure) bool {
	switch f.Kind {
	case runtime.KindRuntime:
		return true
	case runtime.KindGuest:
		return errors.Is(f, errAbort)
	case runtime.KindOutput:
		return errors.Is(f, errNoRoom)
	}
	return false
}

// outOfMemory is the failure of a guest that asked for more than its budget and then broke.
func (i *instance) outOfMemory(then *runtime.Failure) *runtime.Failure {
	return &runtime.Failure{
		Kind: runtime.KindMemory, Deterministic: true, Cause: then,
		Message: fmt.Sprintf("the guest asked for %s of memory and then broke: %s", byteSize(int64(i.memory.refused)), then.Message),
		Hint:    "raise the node's budget.memory, or hold less at a time", Measured: int64(i.memory.refused), Limit: int64(i.memory.limit),
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// frameSignature is the parameter and result list that wazero writes behind a name.
var frameSignature = regexp.MustCompile(`\([a-z0-9,]*\)( [a-z0-9]+| \([a-z0-9,]+\))?$`)

// backtrace returns the guest's frames, innermost first, as the name section calls them.
// wazero hands them over in the error's text only; they are shown, never interpreted.
func backtrace(err error) string {
	_, stack, found := strings.Cut(err.Error(), "wasm stack trace:\n")
	if !found {
		return ""
	}
	var frames []string
	again := false
	for line := range strings.Lines(stack) {
		line = strings.TrimPrefix(strings.TrimSpace(line), ".")
		switch {
		case line == "" || hostFrame(line):
			// A function that is refilled at its entry is entered again from there: its
			// first frame, which comes next, is the same call.
			again = strings.HasPrefix(line, meter.FramePrefix+meter.EnterName)
		case again:
			again = false
		default:
			frames = append(frames, frameSignature.ReplaceAllString(line, ""))
		}
	}
	return runtime.Cut(strings.Join(frames, "\n"), runtime.MaxReason)
}

// hostFrame says that a frame is the host's or the meter's.
func hostFrame(line string) bool {
	if strings.HasPrefix(line, meter.FramePrefix) {
		return true
	}
	for _, m := range hostModules {
		if strings.HasPrefix(line, m.name+".") {
			return true
		}
	}
	return false
}
