package wasm

import (
	"errors"
	"strings"
	"testing"

	"github.com/leat-run/leat/runtime"
)

// TestStageAnswers proves that the functions of a causal stage are found by their entry, that
// one emit is the answer, that a second is a failure at once, and that handle may
// answer nothing, which fold may not; and that the entry is part of the digest.
func TestStageAnswers(t *testing.T) {
	digests := map[string]bool{}
	for _, entry := range []runtime.Entry{runtime.EntryHandle, runtime.EntryFold} {
		code := runtime.Code{Name: "stage.wasm", Bytes: guest(t, "stage"), Entry: entry}
		m, err := newFlavor(t, Options{}).Compile(t.Context(), code, settings())
		if err != nil {
			t.Fatal(err)
		}
		digests[m.Digest()] = true
		w, err := runtime.NewWorker(t.Context(), m, runtime.Host{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for payload, want := range map[string]runtime.Kind{"1": "", "2": runtime.KindOutput, "0": runtime.KindOutput} {
			if payload == "0" && entry == runtime.EntryHandle {
				want = ""
			}
			in := message(payload)
			in.Codec = codecJSON
			in.Payload = append(in.Payload, ' ')
			result, err := w.Apply(t.Context(), in)
			var failure *runtime.Failure
			switch {
			case want != "" && (!errors.As(err, &failure) || failure.Kind != want || len(result.Out) > 0):
				t.Errorf("%s of %s: %v, want kind %s", entry, payload, err, want)
			case want == "" && (err != nil || len(result.Out) != int(payload[0]-'0')):
				t.Errorf("%s of %s: %q, %v", entry, payload, payloads(result), err)
			}
		}
		if err := errors.Join(w.Close(), m.Close()); err != nil {
			t.Error(err)
		}
	}
	if len(digests) != 2 {
		t.Error("handle and fold have the same digest")
	}
	_, err := load(t, guest(t, "stage"), settings())
	if f := failed(t, err); f.Kind != runtime.KindCompile {
		t.Error(err)
	}
}

// TestStageIsNoCommand proves that a command in a stage is told how to become a reactor, and not of a key that
// stages do not have.
func TestStageIsNoCommand(t *testing.T) {
	for entry, way := range map[runtime.Entry]bool{runtime.EntryTransform: true, runtime.EntryFold: false, runtime.EntryHandle: false} {
		code := runtime.Code{Name: "guest.wasm", Bytes: guest(t, "echo"), Entry: entry}
		_, err := newFlavor(t, Options{}).Compile(t.Context(), code, settings())
		f := failed(t, err)
		if f.Kind != runtime.KindCompile || !strings.Contains(f.Hint, "exports "+code.EntryFunction()) || strings.Contains(f.Hint, "abi: command") != way {
			t.Errorf("%q: %q", entry, f.Hint)
		}
	}
}
