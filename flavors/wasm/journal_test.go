package wasm

import (
	"bytes"
	"strings"
	"testing"
)

// TestJournalIsBounded proves that no text makes more lines, or keeps more of them, than the
// budget of the log allows: empty lines neither.
func TestJournalIsBounded(t *testing.T) {
	const limit = 1000
	for name, write := range map[string]func(*journal){
		"one by one": func(j *journal) {
			for range 10 * limit {
				j.add("info", nil)
			}
		},
		"a page of line feeds": func(j *journal) { j.print("warn", bytes.Repeat([]byte{'\n'}, 10*limit)) },
		"without line feeds":   func(j *journal) { j.print("warn", bytes.Repeat([]byte{'x'}, 100*limit)) },
	} {
		t.Run(name, func(t *testing.T) {
			var said []string
			j := journal{sink: func(_, text string) { said = append(said, text) }}
			j.begin(limit)
			write(&j)
			j.add("info", []byte("the end"))
			if n := len(said); n > limit+2 || !strings.Contains(said[n-1], "log cut") {
				t.Errorf("%d lines, the last %q", n, said[n-1])
			}
			if tail := j.end(); !strings.HasSuffix(tail, "the end") || len(tail) > tailBytes {
				t.Errorf("the tail has %d bytes", len(tail))
			}
		})
	}
}
