package engine

import (
	"testing"

	"github.com/leat-run/leat/engine/commit"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// A row that its source could not hand on is abandoned as what it is: its letter says that the
// payload is cut, so that no replay takes it for a message.
func TestAbandonedSourceFaultIsCut(t *testing.T) {
	w := newWorld(t)
	w.source("in", &listSource{})
	w.sink("out", &memorySink{}, "in")
	e := w.engine()
	first, err := w.store.Append([]store.Row{
		{Node: "in", Message: runtime.Message{ID: "a", Payload: []byte("start")}, Fault: &runtime.Failure{Measured: 100}},
		{Node: "in", Message: runtime.Message{ID: "b", Payload: []byte("whole")}},
	})
	must(t, err)
	e.register(commit.Arrival{First: first, Bytes: make([]int64, 2), Origin: commit.Origin{Source: commit.Nobody}})
	if n, err := e.Abandon(t.Context(), "given up"); n != 2 || err != nil {
		t.Errorf("%d abandoned, %v", n, err)
	}
	want := map[string]int64{"a": 100, "b": 0}
	for _, l := range w.letters() {
		if l.PayloadLength != want[l.Message.ID] {
			t.Errorf("the letter of %s says that the whole has %d bytes", l.Message.ID, l.PayloadLength)
		}
	}
}
