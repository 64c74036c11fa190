package document

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Reader reads one document. It belongs to one goroutine.
type Reader struct {
	Report *Report
	// Vars is what ${...} resolves against. Set it before values are read.
	Vars Variables
	// Dir is the absolute directory of the document, for Paths.
	Dir   string
	root  *yaml.Node
	lines lines
	nodes int  // values visited, aliases followed
	depth int  // of the value at hand
	tired bool // the bound on nodes was reported
}

// NewReader parses text. It returns nil after reporting why the text is no document.
func NewReader(text []byte, dir string, report *Report) *Reader {
	root := parse(text, report)
	if root == nil {
		return nil
	}
	return &Reader{Report: report, Dir: dir, root: root, lines: linesOf(text)}
}

// Root opens the document's outermost mapping.
func (r *Reader) Root(shape *Shape) *Object {
	return r.open(r.root, shape, Place{Line: 1, Column: 1})
}

// Peek returns the text of a key of the outermost mapping, "" where there is none: to find
// out what kind of document this is.
func (r *Reader) Peek(key string) string {
	n := r.root
	if n.Kind != yaml.MappingNode {
		return ""
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1].Value
		}
	}
	return ""
}

func (r *Reader) place(n *yaml.Node) Place { return place(n, r.lines) }

// follow resolves aliases and counts the visit; nil once the document is too much.
func (r *Reader) follow(n *yaml.Node) *yaml.Node {
	r.nodes++
	if r.nodes > MaxNodes || r.depth > maxDepth {
		if !r.tired {
			r.Report.Errorf(r.place(n), "too-large", "use fewer aliases, or split the document",
				"the document has more than %d values or nests deeper than %d", MaxNodes, maxDepth)
		}
		r.tired = true
		return nil
	}
	if n.Kind == yaml.AliasNode {
		return r.follow(n.Alias)
	}
	return n
}

// pair is one key of a mapping with its value.
type pair struct {
	name  string
	at    Place // of the key
	value *yaml.Node
}

// pairs returns the keys of a mapping node in order, reporting keys that are no text, merges
// and duplicates (of which the first counts).
func (r *Reader) pairs(n *yaml.Node, noun string) []pair {
	out := make([]pair, 0, len(n.Content)/2)
	seen := map[string]Place{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, at := n.Content[i], r.place(n.Content[i])
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		switch first, dup := seen[key.Value]; {
		case key.Kind != yaml.ScalarNode:
			r.Report.Errorf(at, "wrong-type", "write a plain name before the `:`", "a key of the %s is no text", noun)
		case key.Tag == "!!merge":
			r.Report.Errorf(at, "merge-key", "write the keys out; `edge_defaults` holds what edges share", "`<<` is not supported")
		case dup:
			r.Report.Errorf(at, "duplicate-key", fmt.Sprintf("it is also on line %d: keep one", first.Line), "%s has the key %q twice", noun, clip(key.Value))
		default:
			seen[key.Value] = at
			out = append(out, pair{key.Value, at, n.Content[i+1]})
		}
	}
	return out
}

// open checks that n is a mapping whose keys the shape knows. A null is an empty mapping. It
// never returns nil, so that reading goes on with defaults.
func (r *Reader) open(n *yaml.Node, shape *Shape, at Place) *Object {
	o := &Object{At: at, shape: shape, reader: r, entries: map[string]pair{}, values: map[string]any{}}
	if n == nil {
		o.broken = true
		return o
	}
	if n = r.follow(n); n == nil {
		o.broken = true
		return o
	}
	if isNull(n) {
		o.checkChoice()
		return o
	}
	if n.Kind != yaml.MappingNode {
		r.Report.Errorf(r.place(n), "wrong-type", List("its keys are: ", shape.names()), "%s: expected a mapping, got %s", shape.Noun, describeNode(n))
		o.broken = true
		return o
	}
	o.depth = r.depth + 1
	for _, p := range r.pairs(n, shape.Noun) {
		o.add(p)
	}
	o.checkChoice()
	return o
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func describeNode(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
		return scalar{text: n.Value, tag: n.ShortTag()}.describe()
	}
}

// scalar reads n as one value; false after reporting that it is none.
func (r *Reader) scalar(n *yaml.Node, what string, literal bool) (scalar, bool) {
	at := r.place(n)
	if n = r.follow(n); n == nil {
		return scalar{}, false
	}
	if n.Kind != yaml.ScalarNode {
		r.Report.Errorf(at, "wrong-type", "", "%s: expected a single value, got %s", what, describeNode(n))
		return scalar{}, false
	}
	s := scalar{text: n.Value, tag: n.ShortTag(), at: at}
	if literal || !strings.Contains(s.text, "${") {
		return s, true
	}
	text, bad := r.Vars.expand(s.text)
	if bad != nil {
		r.fault(at, what, bad)
		return scalar{}, false
	}
	s.text, s.replaced = text, true
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
		s.tag = resolveTag(text)
	}
	return s, true
}

func (r *Reader) fault(at Place, what string, bad *fault) {
	r.Report.Errorf(at, bad.code, bad.hint, "%s: %s", what, bad.message)
}

// values reads a free mapping of names to values: constants.
func (r *Reader) values(n *yaml.Node, noun string) map[string]any {
	at := r.place(n)
	if n = r.follow(n); n == nil || isNull(n) {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		r.Report.Errorf(at, "wrong-type", "name: value, one a line", "%s: expected a mapping, got %s", noun, describeNode(n))
		return nil
	}
	out := make(map[string]any, len(n.Content)/2)
	for _, p := range r.pairs(n, noun) {
		if reason := CheckName(p.name); reason != "" {
			r.Report.Errorf(p.at, "bad-name", reason, "%q is no name", clip(p.name))
			continue
		}
		out[p.name] = r.value(p.value, noun+"."+p.name)
	}
	return out
}

// value reads any value.
func (r *Reader) value(n *yaml.Node, what string) any {
	r.depth++
	defer func() { r.depth-- }()
	target := r.follow(n)
	if target == nil {
		return nil
	}
	switch target.Kind {
	case yaml.MappingNode:
		out := make(map[string]any, len(target.Content)/2)
		for _, p := range r.pairs(target, what) {
			out[p.name] = r.value(p.value, what+"."+p.name)
		}
		return out
	case yaml.SequenceNode:
		out := make([]any, 0, len(target.Content))
		for i, element := range target.Content {
			out = append(out, r.value(element, fmt.Sprintf("%s[%d]", what, i)))
		}
		return out
	default:
		return r.free(target, what)
	}
}

// free reads a scalar as the type that it is written in.
func (r *Reader) free(n *yaml.Node, what string) any {
	s, ok := r.scalar(n, what, false)
	if !ok {
		return nil
	}
	value, bad := s.free()
	if bad != nil {
		r.fault(s.at, what, bad)
	}
	return value
}
