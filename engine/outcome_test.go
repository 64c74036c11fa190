package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/leat-run/leat/runtime"
)

// Each reason for a run to end counts before those after it, in whatever order they come: a node
// or the store that cannot go on, a source, the caller's cancel, dead letters. Of several that are
// fatal, and of several sources, the first counts.
func TestOutcomeOrder(t *testing.T) {
	fatal := func(e *Engine) {
		e.fail(FailureWorker, "guest", errors.New("first"))
		e.fail(FailureStore, "", errors.New("second"))
	}
	source := func(e *Engine) {
		e.fail(FailureSource, "in", errors.New("first"))
		e.fail(FailureSource, "other", errors.New("second"))
	}
	canceled := (*Engine).Drain
	letters := func(e *Engine) { e.written.add("guest", "transform", runtime.KindGuest) }
	ranked := []struct {
		happens func(*Engine)
		status  Status
		failure string
	}{
		{fatal, StatusFailed, "guest: first"},
		{source, StatusFailed, "in: first"},
		{canceled, StatusInterrupted, ""},
		{letters, StatusPartial, ""},
		{func(*Engine) {}, StatusCompleted, ""},
	}
	for i, higher := range ranked {
		for j, lower := range ranked[i:] {
			for _, both := range [][]func(*Engine){{higher.happens, lower.happens}, {lower.happens, higher.happens}} {
				w := newWorld(t)
				w.source("in", &listSource{})
				w.sink("out", &memorySink{}, "in")
				e := w.engine()
				for _, happens := range both {
					happens(e)
				}
				if o := e.outcome(0); o.Status != higher.status || o.Failure != higher.failure {
					t.Errorf("%d and %d: %s %q, want %s %q", i, i+j, o.Status, o.Failure, higher.status, higher.failure)
				}
			}
		}
	}
}

// A run that is completed has committed everything: nothing enters any more when it is found that
// all is done, so that no injection comes between that and the end.
func TestNothingEntersADoneRun(t *testing.T) {
	w := newWorld(t)
	w.source("in", &listSource{})
	w.sink("out", &memorySink{}, "in")
	e := w.engine()
	e.fed.Store(true)
	e.supervise()
	if _, err := e.Inject(t.Context(), Injection{Node: "out"}); !errors.Is(err, context.Canceled) {
		t.Errorf("an injection into a run that is done: %v", err)
	}
}

// closingModule makes instances that do not close.
type closingModule struct{ testModule }

func (m *closingModule) Instantiate(context.Context, runtime.Host) (runtime.Transform, error) {
	return &closingTransform{testTransform{module: &m.testModule}}, nil
}

type closingTransform struct{ testTransform }

func (*closingTransform) Close() error { return errors.New("it does not close") }

// What cannot be closed is told in the plan's order, each time the same.
func TestCloseErrorsKeepTheirOrder(t *testing.T) {
	w := newWorld(t)
	w.source("in", &listSource{})
	var want []string
	from := "in"
	for i := range 8 {
		name := fmt.Sprint("t", i)
		w.transform(name, nil, from).Module = &closingModule{testModule{apply: identity}}
		want, from = append(want, "transform "+name+": it does not close"), name
	}
	w.sink("out", &memorySink{}, from)
	o := w.run()
	w.status(o, StatusFailed)
	if o.Failure != "engine: close: "+strings.Join(want, "\n") {
		t.Errorf("the failure is %s", o.Failure)
	}
}
