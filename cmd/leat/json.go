package main

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"unicode/utf8"
)

// jsonTo writes one object a line. Texts stand as they are: what reads them is no browser.
func jsonTo(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

// payloadJSON is a payload in machine output: as it is where it is JSON, else in base64. One of
// the two is always there.
type payloadJSON struct {
	Payload       json.RawMessage `json:"payload,omitempty"`
	PayloadBase64 *string         `json:"payload_base64,omitempty"`
}

// payloadOf is a payload as its codec has it: raw bytes are not JSON, whatever they look like.
func payloadOf(codec string, payload []byte) payloadJSON {
	if codec != "raw" && isJSON(payload) {
		return payloadJSON{Payload: payload}
	}
	text := base64.StdEncoding.EncodeToString(payload)
	return payloadJSON{PayloadBase64: &text}
}

// isJSON says whether text can stand in a JSON text. json.Valid lets bytes pass that are no UTF-8.
func isJSON(text []byte) bool { return utf8.Valid(text) && json.Valid(text) }
