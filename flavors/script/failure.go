package script

import (
	"context"
	"fmt"
	goruntime "runtime"
	"strings"
	"time"

	"github.com/dop251/goja"

	"github.com/leat-run/leat/runtime"
)

// maxFrames bounds a backtrace.
const maxFrames = 32

// broken is a Go panic inside the engine that ran the script.
type broken struct{ value any }

func (b *broken) Error() string { return fmt.Sprintf("the JavaScript engine broke: %v", b.value) }

// guarded runs guest code and returns its end as an error. It recovers what natives and
// conversions end a run with, and the engine's own faults, which the guest provoked.
func (in *instance) guarded(f func() error) (err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case *limit:
			err = x
		case *thrown:
			err = x
		case *goja.Exception:
			err = x
		case *goja.InterruptedError:
			err = x
		case goruntime.Error:
			err = &broken{x}
		default:
			err = &broken{x}
		}
	}()
	return f()
}

// recycleAfter says whether the instance is still good. An exception and a refused
// value leave it as any other end of the function would; everything else stopped it
// somewhere in between.
func recycleAfter(err error) runtime.Recycle {
	switch e := err.(type) {
	case *goja.Exception, *thrown:
		return runtime.RecycleNone
	case *limit:
		if e.kind == runtime.KindOutput || e.kind == runtime.KindInput {
			return runtime.RecycleNone
		}
	}
	return runtime.RecycleFailure
}

// failure types the end of a call. late is the watchdog's verdict, where it had one: it
// wins over what the unwinding looked like.
func (in *instance) failure(ctx context.Context, err error, late *limit) error {
	if ctx.Err() != nil && (late == nil || late.cause != nil) {
		in.spent = runtime.RecycleFailure
		return ctx.Err()
	}
	if late != nil {
		err = late
	}
	var f *runtime.Failure
	switch e := err.(type) {
	case *limit:
		f = in.limited(e)
	case *goja.InterruptedError:
		f = in.interrupted(e)
	case *goja.StackOverflowError:
		f = &runtime.Failure{
			Kind: runtime.KindStack, Deterministic: true, Message: "the script's calls nest too deep",
			Hint:     "a recursion without an end? Otherwise raise budget.stack",
			Measured: int64(in.budget.Stack) + 1, Limit: int64(in.budget.Stack),
		}
		in.locate(f, e.Stack())
	case *goja.Exception:
		f = in.exception(e.Value(), "")
		in.locate(f, e.Stack())
	case *thrown:
		f = in.exception(e.value, e.note)
	default:
		f = &runtime.Failure{Kind: runtime.KindRuntime, Deterministic: true, Message: runtime.Cut(err.Error(), runtime.MaxReason)}
	}
	f.Log = in.log.text()
	return f
}

func (in *instance) interrupted(e *goja.InterruptedError) *runtime.Failure {
	l, ok := e.Value().(*limit)
	if !ok {
		return &runtime.Failure{Kind: runtime.KindOther, Message: "the script was interrupted"}
	}
	f := in.limited(l)
	in.locate(f, e.Stack())
	return f
}

func (in *instance) limited(l *limit) *runtime.Failure {
	f := &runtime.Failure{
		Kind: l.kind, Deterministic: l.deterministic() && l.kind != runtime.KindMemory,
		Message: l.message, Hint: l.hint, Measured: l.measured, Limit: l.limit, Cause: l.cause,
	}
	in.locate(f, l.stack)
	return f
}

// exception describes a thrown value. Describing runs getters, so it happens under a
// deadline of its own.
func (in *instance) exception(v goja.Value, note string) *runtime.Failure {
	var text string
	in.watched.arm(context.Background(), time.Now())
	err := in.guarded(func() error {
		text = in.describe(v)
		return nil
	})
	if in.watched.disarm() != nil || err != nil {
		text, in.spent = "a value that cannot be described", runtime.RecycleFailure
	}
	if note != "" {
		text = note + ": " + text
	}
	return &runtime.Failure{Kind: runtime.KindGuest, Deterministic: true, Message: runtime.Cut(text, runtime.MaxReason)}
}

// locate puts a stack into a failure: the backtrace, and the author's line on top of it.
func (in *instance) locate(f *runtime.Failure, stack []goja.StackFrame) {
	src := &in.module.bundle.sources
	if f.File == "" {
		f.File = in.module.code.Name
	}
	var trace []string
	for i := range stack {
		frame := &stack[i]
		file, line, column, ok := src.frame(frame)
		if !ok || len(trace) == maxFrames {
			continue
		}
		if len(trace) == 0 {
			f.File, f.Line, f.Column, f.Excerpt = file, line, column, src.excerptAt(frame)
		}
		name := frame.FuncName()
		if name == "" {
			name = "(anonymous)"
		}
		trace = append(trace, fmt.Sprintf("%s (%s:%d:%d)", name, file, line, column))
	}
	f.Backtrace = strings.Join(trace, "\n")
}
