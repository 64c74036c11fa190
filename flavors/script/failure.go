package script

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dop251/goja"

	"github.com/leat-run/leat/runtime"
)

// maxFrames bounds a backtrace.
const maxFrames = 32

// broken is a Go panic out of the engine below: a fault of goja's, or of ours.
type broken struct{ value any }

func (b *broken) Error() string { return fmt.Sprintf("the script engine broke: %v", b.value) }

// guarded runs f, in which guest code may run, and returns what ended it: an exception,
// a *limit, a *thrown, a *goja.StackOverflowError or a *broken. Do not call Error on an
// exception of goja's: it runs guest code.
func (in *instance) guarded(f func() error) (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = panicked(x)
		}
	}()
	ex := in.vm.Try(func() { err = f() })
	if ex != nil {
		return ex
	}
	return err
}

func panicked(x any) error {
	switch e := x.(type) {
	case *limit:
		return e
	case *thrown:
		return e
	case *goja.InterruptedError:
		return e
	case *goja.StackOverflowError:
		return e
	case *goja.Exception:
		return e
	default:
		return &broken{value: x}
	}
}

// recycleAfter says whether the VM can go on after err: an exception and a value that
// is no message leave it whole.
func recycleAfter(err error) runtime.Recycle {
	switch e := err.(type) {
	case *goja.Exception, *thrown:
		return runtime.RecycleNone
	case *limit:
		if e.kind == runtime.KindOutput && e.stack == nil {
			return runtime.RecycleNone
		}
	}
	return runtime.RecycleFailure
}

// failure turns the end of a guarded run into what Apply returns. late is the
// watchdog's verdict, if it fired.
func (in *instance) failure(ctx context.Context, err error, late *limit) error {
	switch e := err.(type) {
	case *limit:
		return in.ofLimit(ctx, e)
	case *goja.InterruptedError:
		if l, ok := e.Value().(*limit); ok {
			l.stack = e.Stack()
			return in.ofLimit(ctx, l)
		}
		return in.ofLimit(ctx, late)
	case *goja.StackOverflowError:
		return in.ofStack(e)
	case *goja.Exception:
		return in.ofException(e.Value(), e.Stack(), "")
	case *thrown:
		return in.ofException(e.value, nil, e.note)
	case *broken:
		f := &runtime.Failure{Kind: runtime.KindRuntime, Deterministic: true, Log: in.log.text()}
		f.Message = runtime.Cut(e.Error(), runtime.MaxReason)
		f.Hint = "this is a fault of the engine, not of the script: please report it with the script"
		return f
	default:
		return err
	}
}

func (in *instance) ofLimit(ctx context.Context, l *limit) error {
	if l.cause != nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		return l.cause
	}
	f := &runtime.Failure{
		Kind: l.kind, Deterministic: l.deterministic(), Message: runtime.Cut(l.message, runtime.MaxReason), Hint: l.hint,
		Measured: l.measured, Limit: l.limit, Log: in.log.text(),
	}
	in.locate(f, l.stack)
	return f
}

func (in *instance) ofStack(e *goja.StackOverflowError) error {
	f := &runtime.Failure{
		Kind: runtime.KindStack, Deterministic: true, Message: "calls nest too deep",
		Hint:     "end the recursion, or raise budget.stack",
		Measured: int64(in.budget.Stack) + 1, Limit: int64(in.budget.Stack), Log: in.log.text(),
	}
	in.locate(f, e.Stack())
	return f
}

// describeFuel is what rendering an exception may cost: a toString is guest code.
const describeFuel = 10_000

// ofException describes what the guest threw, inside the guarded region.
func (in *instance) ofException(value goja.Value, stack []goja.StackFrame, note string) error {
	text := "an exception that cannot be described"
	in.fuel = describeFuel
	in.watched.arm(context.Background(), now())
	err := in.guarded(func() error {
		text = in.describe(value)
		if stack == nil {
			stack = in.stackOf(value)
		}
		return nil
	})
	in.watched.disarm()
	if err != nil && recycleAfter(err) != runtime.RecycleNone {
		in.spent = runtime.RecycleFailure
	}
	if note != "" {
		text = note + ": " + text
	}
	f := &runtime.Failure{
		Kind: runtime.KindGuest, Deterministic: true, Message: runtime.Cut(text, runtime.MaxReason), Log: in.log.text(),
	}
	in.locate(f, stack)
	return f
}

// stackOf finds the frames of an error object that was thrown inside a promise.
func (in *instance) stackOf(value goja.Value) []goja.StackFrame {
	o, ok := value.(*goja.Object)
	if !ok || o.ClassName() != "Error" {
		return nil
	}
	var ex *goja.Exception
	if err := in.vm.Try(func() { panic(o) }); errors.As(error(err), &ex) {
		return ex.Stack()
	}
	return nil
}

// locate fills a failure's place, backtrace and excerpt from stack frames.
func (in *instance) locate(f *runtime.Failure, stack []goja.StackFrame) {
	var b strings.Builder
	src := &in.module.bundle.sources
	for i := range stack {
		if i == maxFrames {
			b.WriteString("…\n")
			break
		}
		file, line, column, ok := src.frame(&stack[i])
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "%s (%s:%d:%d)\n", frameName(&stack[i]), file, line, column)
		if f.Line == 0 {
			f.File, f.Line, f.Column = file, line, column
			f.Excerpt = src.excerptAt(&stack[i])
		}
	}
	if f.File == "" {
		f.File = in.module.code.Name
	}
	f.Backtrace = runtime.Cut(strings.TrimSuffix(b.String(), "\n"), runtime.MaxReason)
}

func frameName(f *goja.StackFrame) string {
	switch name := f.FuncName(); {
	case name == defaultName || strings.HasSuffix(name, "_default"):
		return "default"
	case name == "":
		return "(anonymous)"
	default:
		return name
	}
}
