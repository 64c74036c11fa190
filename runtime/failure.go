package runtime

import (
	"fmt"
	"strings"
)

// Kind says what went wrong with a guest. It is set where the failure arises and
// never derived from a text (flavors.md, Failure kinds).
type Kind string

const (
	KindCompile Kind = "compile" // the code cannot be loaded; found before any message
	KindInput   Kind = "input"   // this message cannot be given to a guest: too deep or too large
	KindFuel    Kind = "fuel"    // the CPU budget is spent
	KindTimeout Kind = "timeout" // the wall clock is spent
	KindMemory  Kind = "memory"  // the memory budget is exceeded
	KindStack   Kind = "stack"   // the call depth is exceeded
	KindGuest   Kind = "guest"   // the guest raised it: an uncaught exception, leat.fail
	KindRuntime Kind = "runtime" // the guest broke: trap, exit, out of bounds
	KindOutput  Kind = "output"  // what came back is no message
	KindCrash   Kind = "crash"   // the process died while this message was in the node
	KindOther   Kind = "other"   // none of these
)

// Kinds lists every kind, in the order of the documentation.
func Kinds() []Kind {
	return []Kind{
		KindCompile, KindInput, KindFuel, KindTimeout, KindMemory, KindStack,
		KindGuest, KindRuntime, KindOutput, KindCrash, KindOther,
	}
}

// Failure is a guest's fault, as a value. It is an error so that it can travel on
// error returns, but what it says is in its fields; test its kind with
// errors.As, or errors.Is against a &Failure{Kind: k}.
type Failure struct {
	Kind Kind
	// Deterministic says that the same message fails the same way on every retry.
	Deterministic bool
	// Message says what happened, in a sentence, at most MaxReason bytes.
	Message string
	// Hint says what to do about it; may be empty.
	Hint string
	// Backtrace is the guest's own stack, one frame a line, innermost first.
	Backtrace string
	// File, Line and Column point into the author's source (after source maps);
	// Line is 0 where unknown. Lines and columns count from 1.
	File   string
	Line   int
	Column int
	// Excerpt is the source line with a caret below, where it is known.
	Excerpt string
	// Measured and Limit are set where a limit was passed, in the unit of that
	// limit (fuel units, milliseconds, bytes, frames, messages).
	Measured int64
	Limit    int64
	// Log is the tail of what the guest logged in this Apply, capped.
	Log string
	// Cause is the error below, for errors.Is; may be nil. It is never shown.
	Cause error
}

// MaxReason caps a Failure's texts, in bytes (decisions.md).
const MaxReason = 8 << 10

// Error returns the kind, the place and the message on one line.
func (f *Failure) Error() string {
	var b strings.Builder
	b.WriteString(string(f.Kind))
	if f.File != "" {
		fmt.Fprintf(&b, " at %s", f.Place())
	}
	fmt.Fprintf(&b, ": %s", f.Message)
	if f.Limit > 0 {
		fmt.Fprintf(&b, " (measured %d, limit %d)", f.Measured, f.Limit)
	}
	return b.String()
}

// Place returns file:line:column as far as it is known.
func (f *Failure) Place() string {
	switch {
	case f.File == "" || f.Line == 0:
		return f.File
	case f.Column == 0:
		return fmt.Sprintf("%s:%d", f.File, f.Line)
	default:
		return fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)
	}
}

// Is makes errors.Is(err, &Failure{Kind: k}) ask for the kind alone.
func (f *Failure) Is(target error) bool {
	t, ok := target.(*Failure)
	return ok && t.Kind == f.Kind && t.Message == ""
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Cause }

// Cut shortens a text from a guest to limit bytes at a rune boundary and marks it so.
// Invalid UTF-8 becomes U+FFFD.
func Cut(text string, limit int) string {
	const mark = "… [cut]"
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= limit {
		return text
	}
	end := max(limit-len(mark), 0)
	for end > 0 && text[end]&0xC0 == 0x80 {
		end--
	}
	return text[:end] + mark
}
