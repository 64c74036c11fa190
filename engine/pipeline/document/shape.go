package document

import (
	"encoding/json"
	"iter"
	"maps"
	"time"
)

// Shape is what one mapping of a document may hold.
type Shape struct {
	// Noun is what the mapping is called in messages, such as "transform".
	Noun string
	Doc  string
	// Fields are its keys, in the order of the documentation.
	Fields []Field
	// Choices are further keys of which exactly one must be there, each a mapping of its
	// own: the plugins of a node. nil means none.
	Choices map[string]*Shape
	// Refused are keys that authors expect here, and why they are not: the hint, by key.
	Refused map[string]string
	// Open lets further keys stand unread: for who looks for a few keys only.
	Open bool
}

// names yields every key that the shape knows.
func (s *Shape) names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, f := range s.Fields {
			if !yield(f.Name) {
				return
			}
		}
		for name := range maps.Keys(s.Choices) {
			if !yield(name) {
				return
			}
		}
	}
}

func (s *Shape) field(name string) (Field, bool) {
	for _, f := range s.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// Field is one key of a mapping.
type Field struct {
	Name     string
	Type     Type
	Doc      string
	Required bool
	Default  any      // of the Go type that Type names; nil with Required, or where "not given" means something
	Enum     []string // allowed values of a String, or of the elements of Strings
	Min, Max int64    // inclusive bounds of Int, Size and Duration (nanoseconds); both 0: unbounded
	// Shape is an Object's keys, or those of each value of Named and Mappings and of each entry of
	// Edges.
	Shape *Shape
	// Literal keeps ${...} in the value as it stands: source code has its own use for it.
	Literal bool
}

// Type is the type of a key: how it is written, and the Go type that it reads as.
type Type string

const (
	String     Type = "string"     // string
	Bool       Type = "bool"       // bool
	Int        Type = "int"        // int64; digits may be grouped by underscores
	Size       Type = "size"       // int64 bytes, written 512KiB
	Duration   Type = "duration"   // time.Duration, written 200ms
	Path       Type = "path"       // string, made absolute against the document's directory
	Name       Type = "name"       // string that follows the rule of CheckName
	Expression Type = "expression" // string; CEL, compiled by whoever reads it
	Strings    Type = "strings"    // []string
	Values     Type = "values"     // map[string]any of int64, float64, bool, string, nil, []any and map[string]any
	Mapping    Type = "object"     // *Object
	Named      Type = "named"      // []Entry in the order of the document
	Edges      Type = "edges"      // []Entry in the order of the document; Object is nil for a bare name
	Mappings   Type = "mappings"   // []Entry without names, a mapping each
	JSON       Type = "json"       // json.RawMessage: any value, keys in order, numbers as written, ${...} kept
)

// Entry is a named mapping: a node under `sources`, or an upstream in `from`.
type Entry struct {
	Name   string
	At     Place
	Object *Object
}

// zero is what a field reads as when it is neither given nor has a default.
func (t Type) zero() any {
	switch t {
	case Bool:
		return false
	case Int, Size:
		return int64(0)
	case Duration:
		return time.Duration(0)
	case Strings:
		return []string(nil)
	case Values:
		return map[string]any(nil)
	case Mapping:
		return (*Object)(nil)
	case Named, Edges, Mappings:
		return []Entry(nil)
	case JSON:
		return json.RawMessage(nil)
	default:
		return ""
	}
}
