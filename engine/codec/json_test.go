package codec

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/leat-run/leat/runtime"
)

// Proves that a valid text comes back byte for byte, only the white space around it gone.
func TestJSONDecodeKeepsBytes(t *testing.T) {
	for _, text := range []string{
		`{"id":9007199254740993,"n":228930314431312345}`, // C01
		`{"a":null,"b":[1,null,"x"],"tags":[],"o":{}}`,
		`{"b":1,"2":1,"a":1,"1":1}`, `{"a":1,"a":2}`,
		`1.0`, `-0`, `1e3`, `1E+400`, `0.1000`, `-0.5e-7`, `true`, `false`, `null`, `""`, `[]`, `{}`,
		`"\u00e9 \/ \u2028 \ud800"`, `"é 漢 🙂"`, `[ 1 , { "a" : [ ] } ]`,
	} {
		got, err := JSON{}.Decode([]byte(" \t\r\n" + text + "\n "))
		if err != nil || string(got) != text {
			t.Errorf("Decode(%s) = %q, %v", text, got, err)
		}
	}
}

// Proves that every kind of fault is found at its first wrong byte.
func TestJSONDecodeFaultOffset(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		reason string
	}{
		{"", 0, "nothing but white space"},
		{"  ", 2, "nothing but white space"},
		{`{"a":1`, 6, "ends where ',' or '}'"},
		{`{"a":`, 5, "ends where a value"},
		{`{"a"`, 4, "ends where ':'"},
		{`{"a" 1}`, 5, "where ':'"},
		{`{a:1}`, 1, "key in double quotes"},
		{`{"a":1,}`, 7, "key in double quotes"},
		{`[1,]`, 3, "where a value"},
		{`[1 2]`, 3, "where ',' or ']'"},
		{`[1}`, 2, "where ',' or ']'"},
		{`{"a":1]`, 6, "where ',' or '}'"},
		{`{"a":1} {"b":2}`, 8, "after the end"},
		{`01`, 1, "leading zero"},
		{`-`, 1, "digit"},
		{`1.`, 2, "digit"},
		{`1e`, 2, "digit"},
		{`1e+x`, 3, "digit"},
		{`NaN`, 0, "where a value"},
		{`nul`, 3, "inside null"},
		{`trux`, 3, "inside true"},
		{`"a`, 2, "inside a string"},
		{"\"a\tb\"", 2, "control character 0x09"},
		{`"\x"`, 2, "after a backslash"},
		{`"\u00g0"`, 5, "four hex digits"},
		{"\"a\xff\"", 2, "byte 0xff is not valid UTF-8"},
		{"\"\xed\xa0\x80\"", 1, "not valid UTF-8"}, // a surrogate, encoded
		{"\uFEFF{}", 0, "byte order mark"},         // C46: only a source removes it
		{"{}\x00", 2, "after the end"},
	} {
		_, err := JSON{}.Decode([]byte(c.text))
		var fault *Fault
		if !errors.As(err, &fault) || fault.Offset != c.offset || !strings.Contains(fault.Reason, c.reason) {
			t.Errorf("Decode(%q) = %v, want offset %d, %q", c.text, err, c.offset, c.reason)
		}
	}
}

// Proves C49 for json: invalid UTF-8 is a fault at offset 0, and raw keeps the bytes.
func TestC49InvalidUTF8(t *testing.T) {
	line := []byte{0xff, 0xfe, 'a'}
	var fault *Fault
	if _, err := (JSON{}).Decode(line); !errors.As(err, &fault) || fault.Offset != 0 {
		t.Errorf("json: %v, want a fault at byte 0", err)
	}
	if got, err := (Raw{}).Decode(line); err != nil || !bytes.Equal(got, line) {
		t.Errorf("raw: %x, %v", got, err)
	}
}

// Proves that nesting is bounded and needs no recursion.
func TestJSONDepth(t *testing.T) {
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	if _, err := (JSON{}).Decode(nested(MaxDepth)); err != nil {
		t.Error(err)
	}
	var fault *Fault
	if _, err := (JSON{}).Decode(nested(MaxDepth + 1)); !errors.As(err, &fault) || fault.Offset != MaxDepth {
		t.Errorf("%v, want a fault at byte %d", err, MaxDepth)
	}
	if _, err := (JSON{}).Decode(bytes.Repeat([]byte(`{"a":[`), 5_000_000)); err == nil {
		t.Error("30 MB of open brackets passed")
	}
}

// Proves that a record is one line of valid JSON, whatever the payload claims to be.
func TestJSONEncode(t *testing.T) {
	got, err := JSON{}.Encode(runtime.Message{Codec: NameJSON, Payload: []byte("{\n\t\"a\": \"x\\ny\"\r\n}\n")})
	if want := "{ \t\"a\": \"x\\ny\"  }"; err != nil || string(got) != want {
		t.Errorf("Encode = %q, %v, want %q", got, err, want)
	}
	if _, err := (JSON{}).Encode(runtime.Message{Codec: NameJSON, Payload: []byte(`{"v":NaN}`)}); err == nil {
		t.Error("NaN was written")
	}
}

// Proves that checking an ordinary order allocates nothing.
func TestJSONDecodeAllocatesNothing(t *testing.T) {
	order := []byte(`{"id":"o-1","items":[{"sku":"A-1","qty":2,"price":19.99}],"customer":{"name":"Zoë"}}`)
	if n := testing.AllocsPerRun(100, func() { _, _ = JSON{}.Decode(order) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Proves against the standard library: a text passes here exactly if it is valid there and
// valid UTF-8, within the depth; and what passes is the trimmed input.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.5e3,"\u00e9",null]}`, "[\xff]", `{"a":}`, ` "x" `, `[[[[]]]]`, "1 2", strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth), strings.Repeat(`{"":`, MaxDepth+1) + "1" + strings.Repeat("}", MaxDepth+1)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := JSON{}.Decode(text)
		want := json.Valid(text) && utf8.Valid(text)
		if (err == nil) != want {
			t.Fatalf("Decode(%q) = %v, the standard library says %v", text, err, want)
		}
		if err == nil && !bytes.Equal(got, bytes.Trim(text, " \t\r\n")) {
			t.Fatalf("Decode(%q) = %q", text, got)
		}
		var fault *Fault
		if errors.As(err, &fault) && (fault.Offset < 0 || fault.Offset > len(text)) {
			t.Fatalf("Decode(%q): offset %d", text, fault.Offset)
		}
	})
}

func BenchmarkJSONDecode(b *testing.B) {
	order := []byte(`{"id":"o-00017","customer":{"id":"c-204","name":"Zoë Lindqvist","country":"SE"},"currency":"SEK",` +
		`"items":[{"sku":"KB-104","name":"Keyboard","qty":1,"price":899.00},{"sku":"CB-002","name":"USB-C cable","qty":3,"price":79.50}],` +
		`"placed":"2026-03-02T08:15:27Z","note":null,"gift":false}`)
	b.SetBytes(int64(len(order)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (JSON{}).Decode(order); err != nil {
			b.Fatal(err)
		}
	}
}
