package causal

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
)

var (
	topicA = TopicID{0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10}
	topicB = TopicID{0xff, 15: 0x01}
)

const (
	hexA = "0102030405060708" + "090a0b0c0d0e0f10"
	hexB = "ff00000000000000" + "0000000000000001"
	// hexClock is {A:2@258, B:0@0}.
	hexClock = "01" + "00000002" + hexA + "00000002" + "0000000000000102" + hexB + "00000000" + "0000000000000000"
)

func unhex(t testing.TB, text string) []byte {
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func layoutClock() Clock {
	return NewClock(Coordinate{Channel{topicB, 0}, 0}, Coordinate{Channel{topicA, 2}, 258})
}

// TestLayouts pins every key and every value to the literal bytes of the specification: a store
// that was written once is read for ever.
func TestLayouts(t *testing.T) {
	a := Channel{topicA, 2}
	text := "01020304-0506-0708-090a-0b0c0d0e0f10:2"
	keys := map[string]string{
		KeyScope:         "scope",
		KeyCarried:       "ca",
		KeyFrontier(a):   "f/" + text,
		KeyAdvertised(a): "cc/" + text,
		KeyQueue(a):      "q/" + text + "/m",
		KeyHeld(a, 171):  "q/" + text + "/e/00000000000000ab",
	}
	for got, want := range keys {
		if got != want {
			t.Errorf("key %q, want %q", got, want)
		}
	}
	held := Record{
		Channel: a, Offset: 7, Timestamp: 1000, Clock: layoutClock(), Value: []byte{},
		Headers: []Header{{"h", []byte("v")}, {"", nil}},
	}
	values := []struct {
		name string
		got  []byte
		want string
	}{
		{"empty clock", Clock{}.AppendTo(nil), "01" + "00000000"},
		{"clock", layoutClock().AppendTo(nil), hexClock},
		{"frontier", encodeFrontier(-1), "ffffffffffffffff"},
		{"indices", encodeSpan(span{3, 258}), "0000000000000003" + "0000000000000102"},
		{"scope", NewScope([]Channel{{topicB, 0}, a}, []TopicID{topicB, topicA}).Encode(),
			"00000002" + hexA + "00000002" + hexB + "00000000" + "00000002" + hexA + hexB},
		{"held", encodeHeld(held), "0000000000000007" + "00000000000003e8" + "0000003d" + hexClock +
			"ffffffff" + "00000000" + "00000002" + "00000001" + "68" + "00000001" + "76" + "00000000" + "ffffffff"},
		{"fold key, null", FoldKey(nil), "00"},
		{"fold key, empty", FoldKey([]byte{}), "01"},
		{"fold key", FoldKey([]byte("k")), "016b"},
	}
	for _, v := range values {
		if got := hex.EncodeToString(v.got); got != v.want {
			t.Errorf("%s:\n got %s\nwant %s", v.name, got, v.want)
		}
	}
}

// TestStrictDecoders: what is not exactly what the encoder writes is refused.
func TestStrictDecoders(t *testing.T) {
	one := "00000001" + hexA + "00000000"
	clocks := map[string]string{
		"nothing":            "",
		"another version":    "02" + "00000000",
		"a byte too many":    "01" + "00000000" + "00",
		"a byte too few":     hexClock[:len(hexClock)-2],
		"a negative count":   "01" + "ffffffff",
		"a lying count":      "01" + "7fffffff",
		"out of order":       "01" + "00000002" + hexB + "00000000" + "0000000000000000" + hexA + "00000000" + "0000000000000000",
		"a channel twice":    "01" + "00000002" + strings.Repeat(hexA+"00000000"+"0000000000000000", 2),
		"a negative offset":  "01" + one + "ffffffffffffffff",
		"negative partition": "01" + "00000001" + hexA + "ffffffff" + "0000000000000000",
	}
	for name, text := range clocks {
		if c, err := DecodeClock(unhex(t, text)); err == nil {
			t.Errorf("%s was read as %s", name, c)
		}
	}
	scopes := map[string]string{
		"nothing": "", "no sinks": "00000000", "sinks out of order": "00000000" + "00000002" + hexB + hexA,
		"a channel twice": "00000002" + one[8:] + one[8:] + "00000000", "left over": "00000000" + "00000000" + "00",
	}
	for name, text := range scopes {
		if _, err := DecodeScope(unhex(t, text)); err == nil {
			t.Errorf("scope: %s was read", name)
		}
	}
	for _, text := range []string{"", "00", "fffffffffffffffe", "000000000000000000"} {
		if _, err := decodeFrontier(unhex(t, text)); err == nil {
			t.Errorf("frontier %q was read", text)
		}
	}
	if _, err := decodeSpan(encodeSpan(span{5, 4})); err == nil {
		t.Error("indices in the wrong order were read")
	}
}

// FuzzDecoders: no bytes make a decoder panic, and what one accepts it writes back as the same bytes,
// so that equal values are equal bytes.
func FuzzDecoders(f *testing.F) {
	f.Add(unhex(f, hexClock))
	f.Add(NewScope([]Channel{{topicA, 1}}, []TopicID{topicB}).Encode())
	f.Add(encodeHeld(Record{Offset: 1, Clock: layoutClock(), Key: []byte("k"), Headers: []Header{{"h", nil}}}))
	f.Add(encodeSpan(span{1, 2}))
	f.Fuzz(func(t *testing.T, b []byte) {
		same := func(name string, err error, again func() []byte) {
			if err == nil && !bytes.Equal(again(), b) {
				t.Errorf("%s: %x was read, and written as %x", name, b, again())
			}
		}
		clock, err := DecodeClock(b)
		same("clock", err, func() []byte { return clock.AppendTo(nil) })
		scope, err := DecodeScope(b)
		same("scope", err, scope.Encode)
		frontier, err := decodeFrontier(b)
		same("frontier", err, func() []byte { return encodeFrontier(frontier) })
		s, err := decodeSpan(b)
		same("indices", err, func() []byte { return encodeSpan(s) })
		held, err := decodeHeld(Channel{}, b)
		same("held", err, func() []byte { return encodeHeld(held) })
		key, err := ParseFoldKey(b)
		same("fold key", err, func() []byte { return FoldKey(key) })
		if c, err := ParseChannel(string(b)); err == nil && c.String() != string(b) {
			t.Errorf("channel %q was read as %s", b, c)
		}
	})
}

// FuzzMerge holds the in-place merge of sorted clocks against a map: the same claims, in order, and the
// same bytes whichever way round they are merged.
func FuzzMerge(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4}, []byte{3, 9, 0, 1})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		model := map[Channel]int64{}
		read := func(b []byte) (claims []Coordinate) {
			for i := 0; i+1 < len(b); i += 2 {
				c := Coordinate{Channel{TopicID{b[i] % 16}, int32(b[i] / 128)}, int64(b[i+1])}
				model[c.Channel] = max(model[c.Channel], c.Offset)
				claims = append(claims, c)
			}
			return claims
		}
		x, y := NewClock(read(a)...), NewClock(read(b)...)
		merged := x.Merge(y)
		if merged.Len() != len(model) || !merged.Dominates(x) || !merged.Dominates(y) {
			t.Fatalf("%s and %s came to %s", x, y, merged)
		}
		for c, want := range model {
			if got, ok := merged.Offset(c); !ok || got != want {
				t.Fatalf("%s: %d, want %d", c, got, want)
			}
		}
		if !bytes.Equal(merged.AppendTo(nil), y.Merge(x).AppendTo(nil)) {
			t.Fatal("equal clocks are not equal bytes")
		}
	})
}

// TestUndecodableClockFailsTheTask: it never reads as an empty clock, and nothing goes on after it.
func TestUndecodableClockFailsTheTask(t *testing.T) {
	w := begin("orders", "")
	bad := fetched("orders@0")
	bad.Headers = []Header{{HeaderClock, []byte{2, 0, 0, 0, 0}}}
	err := w.task.Receive(bad)
	var clock *ClockError
	if !errors.As(err, &clock) || clock.At != at("orders@0") {
		t.Fatalf("got %v", err)
	}
	if err := w.task.Receive(fetched("orders@1")); !errors.Is(err, ErrFailed) {
		t.Fatalf("the task went on: %v", err)
	}
	twice := Header{HeaderClock, Clock{}.AppendTo(nil)}
	if _, err := (Fetched{Headers: []Header{twice, twice}}).Open(); err == nil {
		t.Fatal("two clocks were read as one")
	}
}

// TestUserHeadersSurviveHolding: a record that was held, stored and restored is what was sent, headers,
// nulls and timestamp included.
func TestUserHeadersSurviveHolding(t *testing.T) {
	w := begin("orders payments", "")
	sent := fetched("payments@0", "orders@0")
	sent.Timestamp, sent.Key, sent.Value = 42, []byte{}, nil
	sent.Headers = append(sent.Headers, Header{"trace", []byte("abc")}, Header{"null", nil}, Header{"trace", []byte("again")})
	want, err := sent.Open()
	if err != nil {
		t.Fatal(err)
	}
	w.reach(sent.Channel, 1)
	if err := w.task.Receive(sent); err != nil {
		t.Fatal(err)
	}
	w.flush()
	if err := w.restore(declare("orders payments", "")); err != nil {
		t.Fatal(err)
	}
	if err := w.task.Advance(channel("orders"), 1); err != nil {
		t.Fatal(err)
	}
	got, ok := w.task.Next()
	if !ok || !bytes.Equal(encodeHeld(got), encodeHeld(want)) {
		t.Fatalf("got %+v, want %+v", got, want)
	}
}

// TestSealRefusesTheReservedName, and what Seal puts on Open takes off.
func TestSealRefusesTheReservedName(t *testing.T) {
	if _, err := Seal(Clock{}, []Header{{Name: HeaderClock}}); !errors.Is(err, ErrReservedHeader) {
		t.Fatalf("got %v", err)
	}
	headers, err := Seal(layoutClock(), []Header{{"a", []byte("b")}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Fetched{Headers: headers}.Open()
	if err != nil || !r.Clock.Equal(layoutClock()) || len(r.Headers) != 1 {
		t.Fatalf("got %+v, %v", r, err)
	}
}
