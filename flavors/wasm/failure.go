package wasm

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	goruntime "runtime"
	"strings"

	"github.com/tetratelabs/wazero/sys"

	"github.com/leat-run/leat/runtime"
)

// Causes of failures that arise in this package; find them with errors.Is.
var (
	// errNoRoom says that leat_alloc returned 0.
	errNoRoom = errors.New("wasm: leat_alloc found no room")
	// errAbort says that AssemblyScript's abort was called.
	errAbort = errors.New("wasm: the guest aborted")
)

// failure turns the error of a call into the guest into what Apply returns: a *Failure,
// or, where the fault is ours, an error of the world. It reads identities, never texts.
func (i *instance) failure(err error) error {
	var broken goruntime.Error
	if errors.As(err, &broken) {
		return fmt.Errorf("wasm: a host function broke, which is a fault of leat: %w", err)
	}
	failure := i.classify(err)
	if i.memory.refused > 0 && bearsOnMemory(failure) {
		failure = i.outOfMemory(failure)
	}
	failure.Backtrace = backtrace(err)
	failure.Log = i.log.end()
	return failure
}

func (i *instance) classify(err error) *runtime.Failure {
	var raised *runtime.Failure
	var exit *exitError
	var ended *sys.ExitError
	switch {
	case errors.As(err, &raised):
		return raised
	case errors.As(err, &exit):
		return &runtime.Failure{
			Kind: runtime.KindRuntime, Deterministic: true, Message: exit.Error(), Cause: exit,
			Hint: "a panic or os.Exit ends a guest like this; return an error instead. What it wrote to standard error is in the log",
		}
	case errors.As(err, &ended) && ended.ExitCode() == sys.ExitCodeDeadlineExceeded, errors.Is(err, context.DeadlineExceeded):
		return i.timedOut(err)
	}
	if t, found := findTrap(err); found {
		return &runtime.Failure{Kind: t.kind, Deterministic: true, Message: t.text, Hint: t.hint, Cause: t.err}
	}
	return &runtime.Failure{Kind: runtime.KindOther, Message: runtime.Cut(firstLine(err.Error()), runtime.MaxReason), Cause: err}
}

func (i *instance) timedOut(err error) *runtime.Failure {
	limit := i.module.settings.Budget.Timeout.Milliseconds()
	return &runtime.Failure{
		Kind: runtime.KindTimeout, Message: fmt.Sprintf("the guest ran longer than %d ms", limit), Limit: limit, Measured: limit,
		Hint: "look for a loop that does not end, or raise the node's budget.timeout", Cause: err,
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
	for line := range strings.Lines(stack) {
		line = strings.TrimSpace(line)
		if line == "" || hostFrame(line) {
			continue
		}
		frames = append(frames, strings.TrimPrefix(frameSignature.ReplaceAllString(line, ""), "."))
	}
	return runtime.Cut(strings.Join(frames, "\n"), runtime.MaxReason)
}

// hostFrame says that a frame is the host's own.
func hostFrame(line string) bool {
	for _, m := range hostModules {
		if strings.HasPrefix(line, m.name+".") {
			return true
		}
	}
	return false
}
