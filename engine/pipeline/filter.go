package pipeline

import (
	"fmt"

	"github.com/leat-run/leat/runtime"
)

// Filter is a condition that a caller has beside a plan: over payload and meta as in a
// document, and over one more object of the caller's own, such as letter.node. It is
// immutable and safe for concurrent use.
type Filter struct {
	expression *Expression
	object     string
}

// CompileFilter compiles a condition in which the caller's values go by the name object. The
// error has line and column of the text, and what to do.
func CompileFilter(text, object string) (*Filter, error) {
	e, bad := newCompiler(nil, nil, object).compile(text, predicateExpression)
	if len(bad) == 0 {
		return &Filter{expression: e, object: object}, nil
	}
	at := bad[0]
	if at.hint != "" {
		return nil, fmt.Errorf("%d:%d: %s: %s", at.line, at.column, at.message, at.hint)
	}
	return nil, fmt.Errorf("%d:%d: %s", at.line, at.column, at.message)
}

// Match evaluates the condition on a message and the caller's values, which are of the
// types that CEL knows from Go. An error comes with false.
func (f *Filter) Match(m runtime.Message, values map[string]any) (bool, error) {
	view := NewView(nil, nil, m)
	view.own, view.values = f.object, values
	return f.expression.Match(view)
}
