package codec

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/leat-run/leat/runtime"
)

// quotedLeast is the length in bytes below which a value is not looked for in a text: "1" and "no"
// are in every text.
const quotedLeast = 4

// Text returns a text about m, such as a failure's message or what a guest logged, with every value
// masked that Message would mask, where it is quoted as it stands: a string with or without its
// escapes, a number as it is written, each value inside of a masked object or list. Values shorter
// than four bytes are left, and so is what a guest made of one: its half, its sum, another spelling.
// m is the message with its values, and not a masked one.
func (r *Redactor) Text(text string, m runtime.Message) string {
	for _, value := range r.values(m) {
		text = strings.ReplaceAll(text, value, strings.Trim(Mask, `"`))
	}
	return text
}

// Failure returns f with its texts masked as Text does; f itself is left as it is.
func (r *Redactor) Failure(f *runtime.Failure, m runtime.Message) *runtime.Failure {
	if f == nil {
		return nil
	}
	masked := *f
	for _, text := range []*string{&masked.Message, &masked.Backtrace, &masked.Hint, &masked.Log} {
		*text = r.Text(*text, m)
	}
	return &masked
}

// values are what a text about m may quote, the longest first: one may be a part of another.
func (r *Redactor) values(m runtime.Message) (all []string) {
	for _, name := range r.meta {
		all = append(all, m.Meta[name])
	}
	if r.payload != nil && len(m.Payload) > 0 {
		if _, err := (JSON{}).Decode(m.Payload); err == nil {
			w := &redactWalk{text: m.Payload, in: json.NewDecoder(bytes.NewReader(m.Payload))}
			w.value(r.payload)
			for _, value := range w.masked {
				all = append(all, scalars(value)...)
			}
		}
	}
	all = slices.DeleteFunc(all, func(value string) bool { return len(value) < quotedLeast })
	slices.SortFunc(all, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return all
}

// scalars are the strings and numbers of a JSON value, as they are written and as they read.
func scalars(text json.RawMessage) []string {
	var value any
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	if in.Decode(&value) != nil {
		return nil // cannot be: the text is known to be JSON
	}
	return appendScalars(nil, value)
}

// spellings are a string as it reads, and with the escapes that writers of JSON give it: those of HTML or
// none of them, and the two line ends of JavaScript escaped or not.
func spellings(text string) []string {
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(text) != nil {
		return []string{text} // cannot be: a string is JSON
	}
	few := strings.Trim(quoted.String(), "\n")
	few = few[1 : len(few)-1]
	return []string{text, few, lineEnds.Replace(few), htmlEscapes.Replace(few)}
}

var (
	lineEnds    = strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029")
	htmlEscapes = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`)
)

func appendScalars(all []string, value any) []string {
	switch v := value.(type) {
	case json.Number:
		all = append(all, v.String())
	case string:
		all = append(all, spellings(v)...)
	case []any:
		for _, element := range v {
			all = appendScalars(all, element)
		}
	case map[string]any:
		for _, member := range v {
			all = appendScalars(all, member)
		}
	}
	return all
}
