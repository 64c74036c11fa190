package pipeline

import "github.com/leat-run/leat/runtime"

// Expression is a compiled CEL predicate or key over payload, meta, constants and
// parameters, with a cost limit. It is immutable and safe for concurrent use.
type Expression struct {
	// Text is the source as written.
	Text string
	eval func(View) (any, error)
}

// View is a message as an expression sees it: the payload is decoded at most once,
// however many expressions look at it. It belongs to one goroutine.
type View struct {
	Message runtime.Message
}
