package document

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"
)

// Object is one mapping of a document, checked against its Shape. Values are read on first
// use and kept; one that is wrong is reported once and reads as its default.
type Object struct {
	At      Place // of the key that holds the mapping
	shape   *Shape
	reader  *Reader
	entries map[string]pair
	order   []string // names of entries as written
	choice  string
	values  map[string]any
	depth   int
	broken  bool // not there, or no mapping (reported): nothing is missed in it
	unknown bool // an unknown key was reported, which may be a mistyped choice
}

// add takes a key in, or reports that there is no such key.
func (o *Object) add(p pair) {
	_, isChoice := o.shape.Choices[p.name]
	if _, isField := o.shape.field(p.name); !isField && !isChoice {
		if !o.shape.Open {
			o.refuse(p)
		}
		return
	}
	o.entries[p.name] = p
	o.order = append(o.order, p.name)
	if !isChoice {
		return
	}
	if o.choice != "" {
		o.reader.Report.Errorf(p.at, "many-plugins", fmt.Sprintf("keep one of %s and %s, or make two nodes", o.choice, p.name),
			"%s has more than one plugin: %s and %s", o.shape.Noun, o.choice, p.name)
		return
	}
	o.choice = p.name
}

// refuse reports a key that does not exist.
func (o *Object) refuse(p pair) {
	if hint, ok := o.shape.Refused[p.name]; ok {
		o.reader.Report.Errorf(p.at, "misplaced-key", hint, "%s has no key %q", o.shape.Noun, p.name)
		return
	}
	code, noun := "unknown-key", "key"
	hint := DidYouMean(p.name, o.shape.names())
	if len(o.shape.Choices) > 0 && p.value.Kind == yaml.MappingNode {
		code, noun = "unknown-plugin", "plugin or key"
		if Nearest(p.name, o.shape.names()) == "" {
			hint = List("the plugins are: ", maps.Keys(o.shape.Choices))
		}
	}
	o.unknown = true
	o.reader.Report.Errorf(p.at, code, hint, "%s has no %s %q", o.shape.Noun, noun, clip(p.name))
}

// checkChoice reports that no plugin was named. An unknown key was probably meant to be it.
func (o *Object) checkChoice() {
	if len(o.shape.Choices) > 0 && o.choice == "" && !o.unknown {
		o.reader.Report.Errorf(o.At, "no-plugin", List("add one of: ", maps.Keys(o.shape.Choices)), "%s names no plugin", o.shape.Noun)
	}
}

// Choice returns the name of the one plugin key and its mapping; "" if there is none.
func (o *Object) Choice() (string, *Object) {
	if o.choice == "" {
		return "", nil
	}
	if v, ok := o.values[o.choice]; ok {
		return o.choice, v.(*Object)
	}
	p := o.entries[o.choice]
	child := o.open(p, o.shape.Choices[o.choice])
	o.values[o.choice] = child
	return o.choice, child
}

func (o *Object) open(p pair, shape *Shape) *Object {
	r := o.reader
	before := r.depth
	r.depth = o.depth
	defer func() { r.depth = before }()
	return r.open(p.value, shape, p.at)
}

// Written says whether the document gives the key.
func (o *Object) Written(name string) bool { _, ok := o.entries[name]; return ok }

// Empty says whether the document gives the key with nothing in it: a null, {} or [].
func (o *Object) Empty(name string) bool {
	p, ok := o.entries[name]
	if !ok {
		return false
	}
	n := p.value
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return isNull(n) || n.Kind != yaml.ScalarNode && len(n.Content) == 0
}

// KeyAt returns where the key stands, or the mapping if the key is not given.
func (o *Object) KeyAt(name string) Place {
	if p, ok := o.entries[name]; ok {
		return p.at
	}
	return o.At
}

// ValueAt returns where the value of a key stands, or the mapping if the key is not given.
func (o *Object) ValueAt(name string) Place {
	if p, ok := o.entries[name]; ok {
		return o.reader.place(p.value)
	}
	return o.At
}

// Map returns the values of all fields by name, for a reader that knows its keys.
func (o *Object) Map() map[string]any {
	out := make(map[string]any, len(o.shape.Fields))
	for _, f := range o.shape.Fields {
		out[f.Name] = o.Value(f.Name)
	}
	return out
}

// ReadAll reads every key, so that all that is wrong is reported.
func (o *Object) ReadAll() {
	for _, f := range o.shape.Fields {
		switch v := o.Value(f.Name).(type) {
		case *Object:
			v.ReadAll()
		case []Entry:
			for _, e := range v {
				if e.Object != nil {
					e.Object.ReadAll()
				}
			}
		}
	}
	if _, plugin := o.Choice(); plugin != nil {
		plugin.ReadAll()
	}
}

// Value returns the checked value of a key, or its default. It panics on a key that the
// shape does not have: that is a bug of the caller.
func (o *Object) Value(name string) any {
	if v, ok := o.values[name]; ok {
		return v
	}
	f, ok := o.shape.field(name)
	if !ok {
		panic("document: " + o.shape.Noun + " has no field " + name)
	}
	v := o.read(f)
	o.values[name] = v
	return v
}

func (o *Object) read(f Field) any {
	p, written := o.entries[f.Name]
	if !written {
		if f.Required && !o.broken {
			o.reader.Report.Errorf(o.At, "missing-key", f.Doc, "%s needs the key %q", o.shape.Noun, f.Name)
		}
		return o.absent(f)
	}
	before := o.reader.depth
	o.reader.depth = o.depth
	defer func() { o.reader.depth = before }()
	if v, ok := o.reader.field(p, f, o.shape.Noun); ok {
		return v
	}
	return o.absent(f)
}

// absent is what a field reads as without a (usable) value.
func (o *Object) absent(f Field) any {
	switch {
	case f.Type == Mapping:
		return o.reader.open(nil, f.Shape, o.At)
	case f.Default != nil:
		return f.Default
	default:
		return f.Type.zero()
	}
}

// field reads the value of a written key; false if it is wrong (and reported).
func (r *Reader) field(p pair, f Field, noun string) (any, bool) {
	switch f.Type {
	case Mapping:
		return r.open(p.value, f.Shape, p.at), true
	case Named:
		return r.named(p, f), true
	case Edges:
		return r.edges(p, f), true
	case Mappings:
		return r.mappings(p, f), true
	case JSON:
		return r.json(p.value, f.Name)
	case Strings:
		return r.strings(p, f, noun)
	case Values:
		return r.values(p.value, f.Name), true
	default:
		s, ok := r.scalar(p.value, f.Name, f.Literal)
		if !ok {
			return nil, false
		}
		v, bad := s.convert(f, r.Dir)
		if bad != nil {
			r.fault(s.at, f.Name, bad)
			return nil, false
		}
		return v, true
	}
}

// named reads a mapping of names to mappings of one shape.
func (r *Reader) named(p pair, f Field) []Entry {
	at := r.place(p.value)
	n := r.follow(p.value)
	if n == nil || isNull(n) {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		r.Report.Errorf(at, "wrong-type", "a name, a `:` and an indented block each", "%s: expected a mapping of names, got %s", f.Name, describeNode(n))
		return nil
	}
	r.depth++
	defer func() { r.depth-- }()
	out := make([]Entry, 0, len(n.Content)/2)
	for _, child := range r.pairs(n, f.Name) {
		if reason := CheckName(child.name); reason != "" {
			r.Report.Errorf(child.at, "bad-name", reason, "%s: %q is no name", f.Name, clip(child.name))
			continue
		}
		out = append(out, Entry{child.name, child.at, r.open(child.value, f.Shape, child.at)})
	}
	return out
}

// edges reads a list of names, each bare or as the only key of a mapping.
func (r *Reader) edges(p pair, f Field) []Entry {
	at := r.place(p.value)
	n := r.follow(p.value)
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		r.Report.Errorf(at, "wrong-type", fmt.Sprintf("write %s: [name]", f.Name), "%s: expected a list of nodes, got %s", f.Name, describeNode(n))
		return nil
	}
	r.depth++
	defer func() { r.depth-- }()
	var out []Entry
	for _, element := range n.Content {
		out = append(out, r.edge(element, f)...)
	}
	return out
}

func (r *Reader) edge(n *yaml.Node, f Field) []Entry {
	at := r.place(n)
	target := r.follow(n)
	if target == nil {
		return nil
	}
	if target.Kind != yaml.MappingNode {
		s, ok := r.scalar(target, f.Name, false)
		if !ok {
			return nil
		}
		name, bad := s.string(Field{})
		if bad != nil {
			r.fault(at, f.Name, bad)
			return nil
		}
		return []Entry{{Name: name, At: at}}
	}
	var out []Entry
	pairs := r.pairs(target, f.Shape.Noun)
	if len(pairs) == 0 {
		r.Report.Errorf(at, "wrong-type", "write the name of a node", "%s: an empty mapping names no node", f.Name)
	}
	for i, child := range pairs {
		if _, isOption := f.Shape.field(child.name); isOption && i > 0 {
			r.Report.Errorf(child.at, "edge-indent", fmt.Sprintf("indent it below %s, or write - %s: {%s: …}", pairs[0].name, pairs[0].name, child.name),
				"%q stands beside the node's name, not below it", child.name)
			continue
		}
		out = append(out, Entry{child.name, child.at, r.open(child.value, f.Shape, child.at)})
	}
	return out
}

// mappings reads a list of mappings.
func (r *Reader) mappings(p pair, f Field) []Entry {
	n := r.follow(p.value)
	if n == nil || isNull(n) {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		r.Report.Errorf(r.place(p.value), "wrong-type", "a `-` and a mapping each", "%s: expected a list, got %s", f.Name, describeNode(n))
		return nil
	}
	r.depth++
	defer func() { r.depth-- }()
	out := make([]Entry, 0, len(n.Content))
	for _, element := range n.Content {
		at := r.place(element)
		out = append(out, Entry{At: at, Object: r.open(element, f.Shape, at)})
	}
	return out
}

func (r *Reader) strings(p pair, f Field, noun string) (any, bool) {
	at := r.place(p.value)
	n := r.follow(p.value)
	if n == nil {
		return nil, false
	}
	if n.Kind != yaml.SequenceNode {
		r.Report.Errorf(at, "wrong-type", fmt.Sprintf("write %s: [a, b]", f.Name), "%s: expected a list, got %s", f.Name, describeNode(n))
		return nil, false
	}
	out := make([]string, 0, len(n.Content))
	for _, element := range n.Content {
		s, ok := r.scalar(element, f.Name, f.Literal)
		if !ok {
			continue
		}
		text, bad := s.string(f)
		if bad == nil && slices.Contains(out, text) {
			bad = &fault{"duplicate-value", fmt.Sprintf("%q stands there twice", clip(text)), "keep one"}
		}
		if bad != nil {
			r.fault(s.at, f.Name, bad)
			continue
		}
		out = append(out, text)
	}
	return out, true
}

// String returns the value of a String, Path, Name or Expression.
func (o *Object) String(name string) string { return o.Value(name).(string) }

// Bool returns the value of a Bool.
func (o *Object) Bool(name string) bool { return o.Value(name).(bool) }

// Int returns the value of an Int or Size.
func (o *Object) Int(name string) int64 { return o.Value(name).(int64) }

// Duration returns the value of a Duration.
func (o *Object) Duration(name string) time.Duration { return o.Value(name).(time.Duration) }

// Strings returns the value of a Strings.
func (o *Object) Strings(name string) []string { return o.Value(name).([]string) }

// Object returns the value of a Mapping.
func (o *Object) Object(name string) *Object { return o.Value(name).(*Object) }

// JSON returns the value of a JSON; nil if it is not given.
func (o *Object) JSON(name string) json.RawMessage { return o.Value(name).(json.RawMessage) }

// Entries returns the value of a Named, Edges or Mappings.
func (o *Object) Entries(name string) []Entry { return o.Value(name).([]Entry) }

// Values returns the value of a Values.
func (o *Object) Values(name string) map[string]any { return o.Value(name).(map[string]any) }
