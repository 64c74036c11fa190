package engine

import (
	"context"
	"testing"

	"github.com/leat-run/leat/runtime"
)

// What was injected into a node that fails came along no edge, and its letter names none.
func TestInjectionThatFailsCameAlongNoEdge(t *testing.T) {
	w := newWorld(t)
	w.source("in", &listSource{})
	w.transform("guest", func(context.Context, runtime.Message) (runtime.Result, error) {
		return runtime.Result{}, guestFault("no")
	}, "in")
	w.sink("out", &memorySink{}, "guest")
	w.opt.Feed = func(ctx context.Context, e *Engine) error {
		_, err := e.Inject(ctx, Injection{Node: "guest", Message: runtime.Message{Payload: []byte("1")}})
		return err
	}
	w.status(w.run(), StatusPartial)
	if l := w.letters(); len(l) != 1 || l[0].Node != "guest" || l[0].Edge != "" {
		t.Errorf("letters %+v", l)
	}
}
