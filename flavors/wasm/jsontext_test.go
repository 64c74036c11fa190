package wasm

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// FuzzScanJSON proves that the scanner accepts exactly what the standard library accepts,
// in UTF-8, and counts the nesting as a reader of brackets outside strings would.
func FuzzScanJSON(f *testing.F) {
	for _, text := range []string{
		`{}`, `[[[]]]`, ` {"a":[1,-0.5e+7,true,false,null,"\u00e9\\\""]} `, `{"a":1,}`, `[1 2]`, `01`, `-`, `"\x"`, "\"\x01\"", `"`, ``, `{"a"}`, `[`, `]`, `nul`, `1e`, `"\u12g4"`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 10_000 {
			return // the standard library nests no deeper
		}
		depth, at, ok := scanJSON([]byte(text), 1<<30)
		if want := json.Valid([]byte(text)) && utf8.ValidString(text); ok != want || at > len(text) {
			t.Fatalf("%q: ok %v at %d, want %v", text, ok, at, want)
		}
		if ok && depth > mayNest([]byte(text)) {
			t.Fatalf("%q: depth %d", text, depth)
		}
	})
}
