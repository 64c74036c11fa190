package codec

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/leat-run/leat/runtime"
)

// Redactor masks what the paths of telemetry.redact name, for whoever shows a message: a
// terminal, a page, a log. What is stored and delivered is never redacted. It is safe for
// concurrent use.
//
// A path is dotted: payload.card.number, meta.token; without one of these two it starts in
// the payload. Lists on the way are looked into: payload.lines.price masks the price of each
// line. A payload that is no JSON text, or only the start of one, is masked whole where any
// path is into the payload: nobody can say what it holds. Texts that may
// quote a message's values are masked by Text and Failure.
type Redactor struct {
	payload *redaction // nil where no path is into the payload
	meta    []string
}

// redaction is one step of a path: what lies below, or all of it.
type redaction struct {
	all   bool
	below map[string]*redaction
}

// Mask stands for a value that is not shown.
const Mask = `"***"`

// NewRedactor returns the Redactor of dotted paths. Empty ones name nothing.
func NewRedactor(paths []string) *Redactor {
	r := &Redactor{}
	for _, path := range paths {
		steps := strings.Split(path, ".")
		switch {
		case path == "":
		case steps[0] == "meta" && len(steps) > 1:
			r.meta = append(r.meta, strings.Join(steps[1:], ".")) // names of meta have dots of their own
		case steps[0] == "payload":
			r.add(steps[1:])
		default:
			r.add(steps)
		}
	}
	return r
}

func (r *Redactor) add(steps []string) {
	if r.payload == nil {
		r.payload = &redaction{}
	}
	at := r.payload
	for _, step := range steps {
		if at.below == nil {
			at.below = map[string]*redaction{}
		}
		if at.below[step] == nil {
			at.below[step] = &redaction{}
		}
		at = at.below[step]
	}
	at.all = true
}

// Message returns m with everything masked; m itself is left as it is.
func (r *Redactor) Message(m runtime.Message) runtime.Message {
	m.Payload, m.Meta = r.Payload(m.Payload), r.Meta(m.Meta)
	return m
}

// Meta returns meta with its entries masked; it is meta itself if there is nothing to mask.
func (r *Redactor) Meta(meta runtime.Meta) runtime.Meta {
	if !slices.ContainsFunc(r.meta, func(name string) bool { _, ok := meta[name]; return ok }) {
		return meta
	}
	meta = maps.Clone(meta)
	for _, name := range r.meta {
		if _, ok := meta[name]; ok {
			meta[name] = strings.Trim(Mask, `"`)
		}
	}
	return meta
}

// Payload returns payload with its values masked, every other byte as it is; it is payload
// itself if there is nothing to mask.
func (r *Redactor) Payload(payload []byte) []byte {
	if r.payload == nil {
		return payload
	}
	if _, err := (JSON{}).Decode(payload); err != nil || r.payload.all {
		return []byte(Mask)
	}
	w := &redactWalk{text: payload, in: json.NewDecoder(bytes.NewReader(payload))}
	w.value(r.payload)
	if w.out == nil {
		return payload
	}
	return append(w.out, payload[w.copied:]...)
}

// redactWalk goes through one JSON text, which is known to be one and no deeper than MaxDepth.
type redactWalk struct {
	text   []byte
	in     *json.Decoder
	out    []byte
	copied int               // of text, into out or masked
	masked []json.RawMessage // the values
}

// value masks what at says inside the next value.
func (w *redactWalk) value(at *redaction) {
	switch {
	case at == nil:
		w.skip()
	case at.all:
		w.mask()
	case w.peek() == '{':
		w.each(func() {
			name, _ := w.token().(string)
			w.value(at.below[name])
		})
	case w.peek() == '[':
		w.each(func() { w.value(at) })
	default:
		w.skip()
	}
}

// each calls member before every member of the container that comes next.
func (w *redactWalk) each(member func()) {
	w.token()
	for w.in.More() {
		member()
	}
	w.token()
}

func (w *redactWalk) mask() {
	start := w.start()
	w.skip()
	w.masked = append(w.masked, w.text[start:w.in.InputOffset()])
	w.out = append(append(w.out, w.text[w.copied:start]...), Mask...)
	w.copied = int(w.in.InputOffset())
}

// start is the offset of the next value: what lies before it are separators.
func (w *redactWalk) start() int {
	at := int(w.in.InputOffset())
	return at + len(w.text[at:]) - len(bytes.TrimLeft(w.text[at:], " \t\r\n:,"))
}

func (w *redactWalk) peek() byte { return w.text[w.start()] }

func (w *redactWalk) skip() {
	var value json.RawMessage
	w.must(w.in.Decode(&value))
}

func (w *redactWalk) token() json.Token {
	t, err := w.in.Token()
	w.must(err)
	return t
}

// must panics on a fault of this program: the text was checked.
func (w *redactWalk) must(err error) {
	if err != nil {
		panic("codec: redact a text that is valid: " + err.Error())
	}
}
