package pipeline

import (
	"time"

	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/runtime"
)

// Catalog is what a document may name. The CLI fills it; this package knows no flavor
// and no endpoint by itself.
type Catalog struct {
	Flavors map[string]runtime.Flavor
	// Isolated are the flavors as `isolation: process` runs them, under the same names.
	Isolated map[string]runtime.Flavor
	Sources  map[string]Spec
	Sinks    map[string]Spec
	Codecs   []string // nil means json and raw
}

// Spec describes one plugin's keys: it drives the strict loader, `leat plugins` and
// `leat plugins schema`.
type Spec struct {
	Doc    string            // one sentence
	Finite func(Config) bool // sources: whether the source ends by itself; nil means never
	Fields []Field
	// Writes names the key of a sink that is the path of a file which the sink must have for
	// itself; "" where there is none.
	Writes string
	// Reads says whether a source reads the file at a path (a RealPath), or would if it
	// were made; nil means never.
	Reads func(c Config, path string) bool
}

// shape is the Spec as a table of the reader.
func (s Spec) shape(noun string) *document.Shape {
	return &document.Shape{Noun: noun, Doc: s.Doc, Fields: s.Fields}
}

// Field is one key of a plugin.
type Field = document.Field

// FieldType is the type of a plugin's key and of its value in a Config.
type FieldType = document.Type

// The types that a plugin's keys have.
const (
	String       = document.String   // string
	Bool         = document.Bool     // bool
	Int          = document.Int      // int64
	Size         = document.Size     // int64 bytes, written 512KiB
	DurationType = document.Duration // time.Duration, written 200ms
	Path         = document.Path     // string, made absolute against the document's directory
	Strings      = document.Strings  // []string
)

// Config is a plugin's checked keys, every default filled in. Its getters panic on a
// key that the Spec does not have: that is a bug of the plugin.
type Config map[string]any

// String returns a String or Path value.
func (c Config) String(name string) string { return get[string](c, name) }

// Bool returns a Bool value.
func (c Config) Bool(name string) bool { return get[bool](c, name) }

// Int returns an Int or Size value.
func (c Config) Int(name string) int64 { return get[int64](c, name) }

// Duration returns a Duration value.
func (c Config) Duration(name string) time.Duration { return get[time.Duration](c, name) }

// Strings returns a Strings value. The caller does not change it.
func (c Config) Strings(name string) []string { return get[[]string](c, name) }

func get[T any](c Config, name string) T {
	v, ok := c[name].(T)
	if !ok {
		panic("pipeline: no such config key, or of another type: " + name)
	}
	return v
}
