package codec

import (
	"bytes"

	"github.com/leat-run/leat/runtime"
)

// NameJSON is the name of JSON in a document and in Message.Codec.
const NameJSON = "json"

// MaxDepth bounds the nesting of a json payload. It protects every later reader of the
// payload; a node's own limit (Budget.Depth) is much lower and is that node's matter.
const MaxDepth = 10_000

// JSON checks that bytes are one JSON text and leaves them as they are: numbers, key order,
// duplicate keys, escapes and inner white space survive.
type JSON struct{}

// Decode returns the text without the white space around it.
func (JSON) Decode(raw []byte) ([]byte, error) {
	s := scanner{text: raw}
	start, end, reason := s.scan()
	if reason != "" {
		return nil, &Fault{Codec: NameJSON, Offset: s.at, Reason: reason}
	}
	return raw[start:end:end], nil
}

// Encode returns the payload as one line. It checks the payload again whatever wrote it, because
// a guest may claim anything.
func (c JSON) Encode(m runtime.Message) ([]byte, error) {
	text, err := c.Decode(m.Payload)
	if err != nil {
		return nil, err
	}
	return onOneLine(text), nil
}

// onOneLine replaces line breaks by spaces. In valid JSON they can only be white space
// between tokens: inside a string they are escaped.
func onOneLine(text []byte) []byte {
	if bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') < 0 {
		return text
	}
	line := bytes.Clone(text)
	for i, c := range line {
		if c == '\n' || c == '\r' {
			line[i] = ' '
		}
	}
	return line
}
