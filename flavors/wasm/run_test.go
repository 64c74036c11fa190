package wasm

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// TestC38C39C40C41C43FailuresAreTyped proves that every way in which a guest can break has
// its kind and its words, and that the next message meets an instance in its first state
// (the guest counts its calls, and always answers 1).
func TestC38C39C40C41C43FailuresAreTyped(t *testing.T) {
	w := worker(t, "misbehave", settings(), runtime.Host{})
	for _, c := range []struct {
		payload string
		kind    runtime.Kind
		text    string
	}{
		{"Dive", runtime.KindStack, "nest too deep"},
		{"Unreachable", runtime.KindRuntime, "unreachable"},
		{"Out of bounds", runtime.KindRuntime, "out of bounds"},
		{"Zero", runtime.KindRuntime, "division by zero"},
		{"Xit", runtime.KindRuntime, "exited with code 0"},
		{"Abort", runtime.KindGuest, "no"},
		{"Fail", runtime.KindGuest, "out of luck"},
		{"Return", runtime.KindGuest, "returned 7"},
		{"1", runtime.KindOutput, "outside the guest's memory"},
		{"2", runtime.KindOutput, "outside the guest's memory"},
		{"Memory", runtime.KindMemory, "asked for"},
		{"Write", runtime.KindRuntime, "unreachable"},
		{"Emit", runtime.KindOutput, "too much came out: 10001 messages"},
	} {
		_, err := w.Apply(t.Context(), message(c.payload))
		failure := failed(t, err)
		if failure.Kind != c.kind || !strings.Contains(failure.Message, c.text) || !failure.Deterministic {
			t.Errorf("%s: %+v", c.payload, failure)
		}
		if got := applied(t, w, "N"); !slices.Equal(got, []string{"1"}) {
			t.Errorf("after %s the guest has counted %q calls", c.payload, got)
		}
	}
}

// TestC38LoopEndsTyped proves that an endless loop ends, and says so.
func TestC38LoopEndsTyped(t *testing.T) {
	s := settings()
	s.Budget.Timeout = 50 * time.Millisecond
	s.Budget.Fuel = 1 << 60
	w := worker(t, "misbehave", s, runtime.Host{})
	_, err := w.Apply(t.Context(), message("Loop"))
	failure := failed(t, err)
	if failure.Kind != runtime.KindTimeout || failure.Deterministic || failure.Limit != 50 || failure.Hint == "" {
		t.Errorf("%+v", failure)
	}
	if got := applied(t, w, "N"); got[0] != "1" {
		t.Errorf("the next message saw %q", got)
	}
}

// TestC38HostCallEndsTyped proves that one host call with very many buffers sees the deadline
// while it runs: what it moved by then is about what lies between two looks.
func TestC38HostCallEndsTyped(t *testing.T) {
	s := settings()
	s.Budget.Timeout = time.Nanosecond
	w := worker(t, "misbehave", s, runtime.Host{})
	result, err := w.Apply(t.Context(), message("Vectors"))
	if failure := failed(t, err); failure.Kind != runtime.KindTimeout {
		t.Errorf("%+v", failure)
	}
	if most := int64(2 * chargeLooks / bytesPerUnit); result.Usage.Fuel > most {
		t.Errorf("used %d units before it ended, want at most %d", result.Usage.Fuel, most)
	}
}

// TestCancelIsNoFailure proves that a guest stopped by the engine's shutdown is not blamed.
func TestCancelIsNoFailure(t *testing.T) {
	s := settings()
	s.Budget.Fuel = 1 << 60
	s.Budget.Timeout = time.Hour
	w := worker(t, "misbehave", s, runtime.Host{})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := w.Apply(ctx, message("Loop")); err != context.DeadlineExceeded {
		t.Errorf("want the context's error, got %v", err)
	}
	if got := applied(t, w, "N"); got[0] != "1" {
		t.Errorf("the next message saw %q", got)
	}
}

// TestC41LegalEdges proves that an empty range at the end of memory is legal, that a guest
// which survives a refused grow is not failed, and that no emit means filtered.
func TestC41LegalEdges(t *testing.T) {
	w := worker(t, "misbehave", settings(), runtime.Host{})
	for payload, want := range map[string][]string{"3": {""}, "Give up": {"Give up"}, "nothing": nil} {
		if got := applied(t, w, payload); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", payload, got, want)
		}
	}
}

// TestFailureTellsWhere proves that a failure carries the guest's frames by their names, its
// standard error, and the place that AssemblyScript's abort names.
func TestFailureTellsWhere(t *testing.T) {
	w := worker(t, "misbehave", settings(), runtime.Host{})
	_, err := w.Apply(t.Context(), message("Dive"))
	if f := failed(t, err); f.Backtrace != "" && !strings.HasPrefix(f.Backtrace, "dive\ndive") {
		t.Errorf("backtrace %q", f.Backtrace)
	}
	_, err = w.Apply(t.Context(), message("Write"))
	if f := failed(t, err); f.Log != "out of luck" || f.Backtrace != "transform" {
		t.Errorf("log %q, backtrace %q", f.Log, f.Backtrace)
	}
	_, err = w.Apply(t.Context(), message("Abort"))
	if f := failed(t, err); f.Place() != "a.ts:7:3" {
		t.Errorf("place %q", f.Place())
	}
}

// TestC45PinnedTimeAndRandomness proves that what a guest sees of time and chance follows
// from the message: the same in another process's instance, another for another message.
// There is no switch to real time and chance: no key of a document gives them, since a
// replay could not repeat what such a guest did (README.md, Imports).
func TestC45PinnedTimeAndRandomness(t *testing.T) {
	first := applied(t, worker(t, "misbehave", settings(), runtime.Host{}), "T")[0]
	w := worker(t, "misbehave", settings(), runtime.Host{})
	if again := applied(t, w, "T")[0]; again != first {
		t.Errorf("two instances saw %x and %x", first, again)
	}
	if millis := binary.LittleEndian.Uint64([]byte(first)); millis != uint64(message("").Ingested.UnixMilli()) {
		t.Errorf("now() is %d", millis)
	}
	other := message("T")
	other.ID = "m2"
	result, err := w.Apply(t.Context(), other)
	if err != nil || payloads(result)[0][8:16] == first[8:16] {
		t.Errorf("another id gave the same randomness (%v)", err)
	}
}

// TestMeta proves that meta_set counts for the next output only, that the engine's names
// are read-only, and that the message's own facts can be read.
func TestMeta(t *testing.T) {
	w := worker(t, "misbehave", settings(), runtime.Host{})
	in := message("Set")
	in.Meta = runtime.Meta{"a": "b"}
	result, err := w.Apply(t.Context(), in)
	if err != nil || len(result.Out) != 2 {
		t.Fatal(result, err)
	}
	if first, second := result.Out[0].Meta, result.Out[1].Meta; len(first) != 2 || first["k"] != "v" || len(second) != 1 || len(in.Meta) != 1 {
		t.Errorf("meta %v, then %v; input %v", first, second, in.Meta)
	}
	if got := applied(t, w, "Id"); !slices.Equal(got, []string{"m1", "in"}) {
		t.Errorf("id and source: %q", got)
	}
	if got := applied(t, w, "Config"); !slices.Equal(got, []string{`{"constants":{},"parameters":{}}`}) {
		t.Errorf("config: %q", got)
	}
}

// TestInheritedMetaIsOutput proves that the meta of the message counts against budget.output with every output that
// gets a copy of it, and only there: what the host copies for one message is bounded.
func TestInheritedMetaIsOutput(t *testing.T) {
	s := settings()
	s.Budget.Output = 4 << 10
	w := worker(t, "misbehave", s, runtime.Host{})
	in := message("Set")
	in.Meta = runtime.Meta{}
	for n := range 40 {
		in.Meta[fmt.Sprint("name ", n)] = strings.Repeat("v", 40)
	}
	result, err := w.Apply(t.Context(), in)
	if err != nil || len(result.Out) != 2 || len(result.Out[0].Meta) != 41 {
		t.Fatalf("%d outputs, %v", len(result.Out), err)
	}
	for n := range 40 {
		in.Meta[fmt.Sprint("more ", n)] = ""
	}
	_, err = w.Apply(t.Context(), in)
	if failure := failed(t, err); failure.Kind != runtime.KindOutput || failure.Limit != s.Budget.Output || failure.Measured <= failure.Limit {
		t.Errorf("%+v", failure)
	}
	in.Payload = []byte("Number") // which sets no meta: nothing is copied
	if _, err := w.Apply(t.Context(), in); err != nil {
		t.Error(err)
	}
}

// TestLogIsCapped proves that a guest which logs without end costs budget.log bytes.
func TestLogIsCapped(t *testing.T) {
	var got []string
	w := worker(t, "misbehave", settings(), runtime.Host{Log: func(level, text string) { got = append(got, level+" "+text) }})
	applied(t, w, "Keep logging")
	if n := len(got); n != 16<<10/12+1 || got[0] != "warn out of luck" || !strings.Contains(got[n-1], "log cut") {
		t.Errorf("%d lines, the last %q", n, got[n-1])
	}
}

// TestC42LeakIsRecycled proves that a guest which never frees runs 20,000 messages without a
// failure, since its instance is replaced before its memory is full.
func TestC42LeakIsRecycled(t *testing.T) {
	s := settings()
	s.Budget.Memory = 256 * pageBytes
	m, err := load(t, guest(t, "leak"), s)
	if err != nil {
		t.Fatal(err)
	}
	recycled := map[runtime.Recycle]int{}
	w, err := runtime.NewWorker(t.Context(), m, runtime.Host{}, func(r runtime.Recycle) { recycled[r]++ })
	if err != nil {
		t.Fatal(err)
	}
	for range 20_000 {
		if got := applied(t, w, "x"); len(got) != 1 {
			t.Fatal(got)
		}
	}
	if recycled[runtime.RecycleFailure] != 0 || recycled[runtime.RecycleMemory] < 5 {
		t.Errorf("recycled %v", recycled)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// TestCommand proves that a program which cannot export functions runs as it is: standard
// input to standard output, the line feed of printing removed, exit code as failure.
func TestCommand(t *testing.T) {
	s := settings()
	s.ABI = abiCommand
	w := worker(t, "echo", s, runtime.Host{})
	for payload, want := range map[string][]string{"hello": {"hello"}, "line\n": {"line\n"}, "": nil} {
		if got := applied(t, w, payload); !slices.Equal(got, want) {
			t.Errorf("%q: %q", payload, got)
		}
	}
	_, err := w.Apply(t.Context(), message("x"))
	if f := failed(t, err); f.Kind != runtime.KindGuest || !strings.Contains(f.Message, "code 3") {
		t.Errorf("%+v", f)
	}
}

// TestJSON proves that what a guest emits under codec json is one JSON text, that the input
// passes through byte by byte, and that depth is bounded on both sides.
func TestJSON(t *testing.T) {
	w := worker(t, "identity", settings(), runtime.Host{})
	in := message(`{"id":9007199254740993,"a":1.0,"a":-0}`)
	in.Codec = codecJSON
	result, err := w.Apply(t.Context(), in)
	if err != nil || payloads(result)[0] != string(in.Payload) {
		t.Errorf("%q %v", payloads(result), err)
	}
	in.Payload = []byte(strings.Repeat("[", 600) + strings.Repeat("]", 600))
	_, err = w.Apply(t.Context(), in)
	if f := failed(t, err); f.Kind != runtime.KindInput || f.Limit != 512 {
		t.Errorf("%+v", f)
	}
	m := worker(t, "misbehave", settings(), runtime.Host{})
	in.Payload = []byte("Config") // not JSON, but the guest does not mind
	if result, err = m.Apply(t.Context(), in); err != nil || payloads(result)[0][0] != '{' {
		t.Errorf("%q %v", payloads(result), err)
	}
	in.Payload = []byte("Id")
	_, err = m.Apply(t.Context(), in)
	if f := failed(t, err); f.Kind != runtime.KindOutput || !strings.Contains(f.Message, "not one JSON text") {
		t.Errorf("%+v", f)
	}
}

// TestInputIsBounded proves that a payload over budget.input never reaches the guest and
// does not cost the instance.
func TestInputIsBounded(t *testing.T) {
	s := settings()
	s.Budget.Input = 10
	w := worker(t, "misbehave", s, runtime.Host{})
	applied(t, w, "N")
	_, err := w.Apply(t.Context(), message("N and much more"))
	if f := failed(t, err); f.Kind != runtime.KindInput || f.Measured != 15 || f.Limit != 10 {
		t.Errorf("%+v", f)
	}
	if got := applied(t, w, "N"); got[0] != "2" {
		t.Errorf("the instance was replaced: %q", got)
	}
}

// TestStackPromises proves that verify says so where budget.stack is more than calls can
// nest, on either engine, and that a guest which meets the interpreter's own bound is told
// which one it was.
func TestStackPromises(t *testing.T) {
	for _, c := range []struct {
		interpreter bool
		stack       int
		code, text  string
		limit       int64
	}{
		{false, 10_000, "", "nest too deep", 10_000},
		{false, 40_000, "stack-bound", "nest too deep", 32_767},
		{true, 1000, "", "nest too deep", 1000},
		{true, 10_000, "stack-interpreter", "for the interpreter", 2000},
	} {
		s := settings()
		s.Budget.Stack = c.stack
		m, err := newFlavor(t, Options{Interpreter: c.interpreter}).Compile(t.Context(), runtime.Code{Name: "guest.wasm", Bytes: guest(t, "misbehave")}, s)
		if err != nil {
			t.Fatal(err)
		}
		code := ""
		for _, warning := range m.Warnings() {
			code += warning.Code
		}
		if code != c.code {
			t.Errorf("interpreter %t, stack %d: warned %q, want %q", c.interpreter, c.stack, code, c.code)
		}
		w, err := runtime.NewWorker(t.Context(), m, runtime.Host{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Apply(t.Context(), message("Dive"))
		if f := failed(t, err); f.Kind != runtime.KindStack || f.Limit != c.limit || !strings.Contains(f.Message, c.text) {
			t.Errorf("interpreter %t, stack %d: %+v", c.interpreter, c.stack, f)
		}
		if err := errors.Join(w.Close(), m.Close()); err != nil {
			t.Error(err)
		}
	}
}
