//go:build linux

package process

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"reflect"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// Proves that no bytes make a decoder panic or allocate beyond what came, and that what
// decodes is encoded and decoded again to the same.
func FuzzAnswer(f *testing.F) {
	in := message("payload")
	for _, a := range sampleAnswers(&in) {
		f.Add(appendAnswer(nil, &a, &in))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := readWhole(reader{rest: body}, &in, &outputs{})
		if err != nil {
			return
		}
		again, err := readWhole(reader{rest: appendAnswer(nil, &a, &in), lent: true}, &in, &outputs{})
		if err != nil || !reflect.DeepEqual(a, again) {
			t.Fatalf("%+v\n%+v %v", a, again, err)
		}
	})
}

func readWhole(r reader, in *runtime.Message, outs *outputs) (a answer, err error) {
	a.logs, err = readAnswer(r, in, outs, &a.Answer)
	return a, err
}

func FuzzMessage(f *testing.F) {
	in := message("payload")
	f.Add(appendMessage(nil, &in))
	f.Add(appendMessage(nil, &runtime.Message{}))
	f.Fuzz(func(t *testing.T, body []byte) {
		r := reader{rest: body}
		m := r.message(&in)
		if r.end() != nil {
			return
		}
		r = reader{rest: appendMessage(nil, &m), lent: true}
		if again := r.message(&in); r.end() != nil || !reflect.DeepEqual(m, again) {
			t.Fatalf("%+v\n%+v %v", m, again, r.err)
		}
	})
}

func FuzzLoaded(f *testing.F) {
	f.Add(appendLoaded(nil, &loaded{digest: "d", ceiling: 5, warnings: beastModule{}.Warnings(), files: []string{"/a"}}))
	f.Add(appendLoaded(nil, &loaded{err: errors.New("x")}))
	f.Fuzz(func(t *testing.T, frame []byte) {
		body, err := readFrame(bufio.NewReader(bytes.NewReader(frame)), frameLoaded, maxLoaded)
		if err != nil {
			return
		}
		l, err := readLoaded(body)
		if err != nil {
			return
		}
		again, err := readLoaded(appendLoaded(nil, &l)[frameHeader:])
		if err != nil || !reflect.DeepEqual(l, again) {
			t.Fatalf("%+v\n%+v %v", l, again, err)
		}
	})
}

func FuzzLoad(f *testing.F) {
	var l load
	fill(reflect.ValueOf(&l).Elem())
	frame, err := appendLoad(nil, l)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(frame[frameHeader:])
	f.Add([]byte(`{"Settings":{"Budget":{"Fuel":-1}},"Code":null}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		l, err := readLoad(body)
		if err != nil {
			return
		}
		frame, err := appendLoad(nil, l)
		if err != nil {
			t.Fatal(err)
		}
		again, err := readLoad(frame[frameHeader:])
		if err != nil {
			t.Fatal(err)
		}
		if second, err := appendLoad(nil, again); err != nil || !bytes.Equal(frame, second) {
			t.Fatalf("%s\n%s %v", frame, second, err)
		}
	})
}

// sampleAnswers are answers with everything that an answer can have.
func sampleAnswers(in *runtime.Message) []answer {
	failure := &runtime.Failure{Kind: runtime.KindGuest, Message: "m", Hint: "h", Backtrace: "b", File: "f", Line: 1, Column: 2, Measured: 3, Limit: 4}
	other := runtime.Message{ID: "other", Key: []byte{}, Payload: []byte("p"), Codec: "raw", Meta: runtime.Meta{"x": "y"}, Source: "s"}
	return []answer{
		{},
		{Answer: runtime.Answer{Result: runtime.Result{Null: true, Usage: runtime.Usage{Fuel: 1, Duration: 2, Memory: 3}}}},
		{Answer: runtime.Answer{Result: runtime.Result{Out: []runtime.Message{*in, other, {}}}}},
		{Answer: runtime.Answer{Err: failure, Recycled: runtime.RecycleFailure}, logs: []logged{{"info", "text"}}},
		{Answer: runtime.Answer{Err: errors.New("world")}},
	}
}

// Proves the round trip of everything that an answer can have.
func TestAnswerRoundTrip(t *testing.T) {
	in := message("payload")
	for _, want := range sampleAnswers(&in) {
		got, err := readWhole(reader{rest: appendAnswer(nil, &want, &in)}, &in, &outputs{})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v\n%+v %v", got, want, err)
		}
	}
}

// fill sets every field below v to something that is not zero, so that one which the wire
// forgets is missed.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(7, 9).UTC()))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "Cause" { // it has no form outside its process
				fill(v.Field(i))
			}
		}
	case reflect.String:
		v.SetString("guest")
	case reflect.Int, reflect.Int64:
		v.SetInt(11)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Uint8:
		v.SetUint(65)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("k"), reflect.ValueOf("v"))
	default:
		panic("fill: " + v.Type().String())
	}
}

// Proves that the wire carries every field that a message, a result, a failure, a warning, the
// code and its settings have, those of tomorrow included.
func TestWireCarriesEverything(t *testing.T) {
	in := message("payload")
	var result runtime.Result
	fill(reflect.ValueOf(&result).Elem())
	got, err := readWhole(reader{rest: appendAnswer(nil, &answer{Answer: runtime.Answer{Result: result}}, &in)}, &in, &outputs{})
	if err != nil || !reflect.DeepEqual(got.Result, result) {
		t.Errorf("%+v\n%+v %v", got.Result, result, err)
	}
	var failure runtime.Failure
	fill(reflect.ValueOf(&failure).Elem())
	got, err = readWhole(reader{rest: appendAnswer(nil, &answer{Answer: runtime.Answer{Err: &failure}}, &in)}, &in, &outputs{})
	if err != nil || !reflect.DeepEqual(got.Err, error(&failure)) {
		t.Errorf("%+v\n%+v %v", got.Err, failure, err)
	}
	var m, none runtime.Message
	fill(reflect.ValueOf(&m).Elem())
	r := reader{rest: appendMessage(nil, &m)}
	if again := r.message(&none); r.end() != nil || !reflect.DeepEqual(again, m) {
		t.Errorf("%+v\n%+v", again, m)
	}
	says := loaded{digest: "d", warnings: make([]runtime.Warning, 1), files: []string{"f"}, ceiling: 3}
	fill(reflect.ValueOf(&says.warnings[0]).Elem())
	if again, err := readLoaded(appendLoaded(nil, &says)[frameHeader:]); err != nil || !reflect.DeepEqual(again, says) {
		t.Errorf("%+v\n%+v %v", again, says, err)
	}
	var l load
	fill(reflect.ValueOf(&l).Elem())
	frame, err := appendLoad(nil, l)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := readLoad(frame[frameHeader:]); err != nil || !reflect.DeepEqual(again, l) {
		t.Errorf("%+v\n%+v %v", again, l, err)
	}
}

// Proves that a frame's length is not believed before its bytes are there.
func TestFrameBounds(t *testing.T) {
	for name, frame := range map[string][]byte{
		"too long": {0xff, 0xff, 0xff, 0xff, frameAnswer}, "cut": {0, 0, 0, 0x3f, frameAnswer, 1, 2}, "kind": {0, 0, 0, 0, 'x'},
	} {
		t.Run(name, func(t *testing.T) {
			allocated := testing.AllocsPerRun(1, func() {
				if _, err := readFrame(bufio.NewReaderSize(bytes.NewReader(frame), 16), frameAnswer, maxMessage); err == nil {
					t.Error("it was read")
				}
			})
			if allocated > 20 {
				t.Errorf("%v allocations", allocated)
			}
		})
	}
}

// Proves that a lying child costs no memory beyond its frame, and makes up no reason for which
// an instance is replaced: those are labels of metrics.
func TestChildIsNotBelieved(t *testing.T) {
	in := message("payload")
	lie := answer{Answer: runtime.Answer{Recycled: "because"}}
	if a, err := readWhole(reader{rest: appendAnswer(nil, &lie, &in)}, &in, &outputs{}); err != nil || a.Recycled != runtime.RecycleFailure {
		t.Errorf("%+v, %v", a, err)
	}
	const announced = 4 << 20
	body := append(binary.AppendUvarint(nil, announced+1), make([]byte, announced)...)
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	r := reader{rest: body}
	if meta := r.meta(); len(meta) > 1 || r.end() == nil {
		t.Errorf("%d entries, %v", len(meta), r.err)
	}
	if goruntime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > announced {
		t.Errorf("%d bytes were allocated", after.TotalAlloc-before.TotalAlloc)
	}
}
