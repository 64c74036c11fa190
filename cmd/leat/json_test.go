package main

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// TestLetterRowHasItsPayload proves that a letter's object is UTF-8 and holds the payload in one of
// its two forms, also where nothing of it was kept.
func TestLetterRowHasItsPayload(t *testing.T) {
	for _, row := range []struct{ codec, payload, key, want string }{
		{"json", `{"n":1}`, "payload", `{"n":1}`},
		{"json", "{\"n\":\"\xff\"}", "payload_base64", `"eyJuIjoi/yJ9"`},
		{"json", "{\"n", "payload_base64", `"eyJu"`},
		{"json", "", "payload_base64", `""`},
		{"raw", `{"n":1}`, "payload_base64", `"eyJuIjoxfQ=="`},
		{"raw", "", "payload_base64", `""`},
	} {
		l := store.DeadLetter{PayloadLength: 1, Message: runtime.Message{Codec: row.codec, Payload: []byte(row.payload)}}
		text, err := json.Marshal(letterRow(l))
		if err != nil || !utf8.Valid(text) {
			t.Fatalf("%q: %q, %v", row.payload, text, err)
		}
		var got map[string]json.RawMessage
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if string(got[row.key]) != row.want {
			t.Errorf("%s %q: %s is %s, want %s", row.codec, row.payload, row.key, got[row.key], row.want)
		}
		if got["payload"] != nil && got["payload_base64"] != nil {
			t.Errorf("%q has both forms: %s", row.payload, text)
		}
	}
}
