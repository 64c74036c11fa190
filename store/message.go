package store

import (
	"time"

	"github.com/leat-run/leat/runtime"
)

// The codecs that have a byte of their own; any other is written by name.
const (
	codecNamed = 0
	codecJSON  = 1
	codecRaw   = 2
)

func (w *wireWriter) message(m runtime.Message) {
	w.string(m.ID)
	w.codec(m.Codec)
	w.bool(m.Key != nil)
	if m.Key != nil {
		w.bytes(m.Key)
	}
	w.meta(m.Meta)
	w.string(m.Source)
	w.bool(!m.Ingested.IsZero())
	if !m.Ingested.IsZero() {
		w.int(m.Ingested.UnixMilli())
	}
	w.bytes(m.Payload)
}

func (w *wireWriter) codec(name string) {
	switch name {
	case "json":
		w.byte(codecJSON)
	case "raw":
		w.byte(codecRaw)
	default:
		w.byte(codecNamed)
		w.string(name)
	}
}

// message reads a Message whose key and payload are part of the value.
func (r *wireReader) message() runtime.Message {
	m := runtime.Message{ID: r.string(), Codec: r.codec()}
	if r.bool() {
		m.Key = r.bytes()
	}
	m.Meta = r.meta()
	m.Source = r.string()
	if r.bool() {
		m.Ingested = time.UnixMilli(r.int()).UTC()
	}
	m.Payload = r.bytes()
	return m
}

func (r *wireReader) codec() string {
	switch b := r.byte(); b {
	case codecJSON:
		return "json"
	case codecRaw:
		return "raw"
	case codecNamed:
		return r.string()
	default:
		r.fail("unknown codec")
		return ""
	}
}

func (w *wireWriter) failure(f *runtime.Failure) {
	w.bool(f != nil)
	if f == nil {
		return
	}
	w.string(string(f.Kind))
	w.bool(f.Deterministic)
	for _, text := range []string{f.Message, f.Hint, f.Backtrace, f.File, f.Excerpt, f.Log} {
		w.string(text)
	}
	for _, number := range []int64{int64(f.Line), int64(f.Column), f.Measured, f.Limit} {
		w.int(number)
	}
}

func (r *wireReader) failure() *runtime.Failure {
	if !r.bool() {
		return nil
	}
	f := &runtime.Failure{Kind: runtime.Kind(r.string()), Deterministic: r.bool()}
	for _, text := range []*string{&f.Message, &f.Hint, &f.Backtrace, &f.File, &f.Excerpt, &f.Log} {
		*text = r.string()
	}
	f.Line, f.Column = int(r.int()), int(r.int())
	f.Measured, f.Limit = r.int(), r.int()
	return f
}
