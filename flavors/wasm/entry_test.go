package wasm

import (
	"strings"
	"testing"

	"github.com/leat-run/leat/runtime"
)

// The functions of a causal stage are exports of their own, with transform's signature: the input is the call, the one emit
// the answer. What is missing is named.
func TestEntries(t *testing.T) {
	for _, c := range []struct {
		entry  runtime.Entry
		answer string
	}{
		{runtime.EntryHandle, `[{"to":"out","value":9007199254740993}]`},
		{runtime.EntryFold, `{"state":2,"emit":[]}`},
	} {
		s := settings()
		s.State = runtime.StateFresh
		m, err := newFlavor(t, Options{}).Compile(t.Context(), runtime.Code{Name: "stage.wasm", Bytes: guest(t, "stage"), Entry: c.entry}, s)
		if err != nil {
			t.Fatal(err)
		}
		w, err := runtime.NewWorker(t.Context(), m, runtime.Host{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		in := message(`{"state":null,"msg":{}}`)
		in.Codec = "json"
		r, err := w.Apply(t.Context(), in)
		if err != nil || len(r.Out) != 1 || string(r.Out[0].Payload) != c.answer {
			t.Errorf("%s: %+v, %v", c.entry, r, err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	_, err := newFlavor(t, Options{}).Compile(t.Context(), runtime.Code{Name: "guest.wasm", Bytes: guest(t, "identity"), Entry: runtime.EntryFold}, settings())
	if f := failed(t, err); f.Kind != runtime.KindCompile || !strings.Contains(f.Message, "fold") {
		t.Error(f)
	}
}
