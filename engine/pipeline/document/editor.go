package document

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"go.yaml.in/yaml/v3"
)

// editor edits a text and, beside it, the tree that the text must read as afterwards: what
// does not come out as that tree is no edit. Comments are bytes that no edit touches.
type editor struct {
	lines
	root  *yaml.Node
	edits []replacement
}

// replacement puts with in place of text[from:to].
type replacement struct {
	from, to int
	with     string
}

// edit opens a text. A text that is not one document is an error.
func edit(text []byte) (*editor, error) {
	report := NewReport("")
	root := parse(text, report)
	if root == nil || report.Failed() {
		return nil, errors.New(report.Sorted()[0].Message)
	}
	return &editor{lines: linesOf(text), root: root}, nil
}

// insert puts a text in front of the byte at a place.
func (e *editor) insert(at int, with string) {
	e.edits = append(e.edits, replacement{at, at, with})
}

// put puts a text in place of the old one, which must stand at the place; else it says false.
func (e *editor) put(at int, old, with string) bool {
	if !bytes.HasPrefix(e.text[at:], []byte(old)) {
		return false
	}
	e.edits = append(e.edits, replacement{at, at + len(old), with})
	return true
}

// puts is put where a node begins.
func (e *editor) puts(n *yaml.Node, old, with string) bool {
	at, ok := e.node(n)
	return ok && e.put(at, old, with)
}

// apply returns the new text; false if it does not read as the tree.
func (e *editor) apply() ([]byte, bool) {
	slices.SortStableFunc(e.edits, func(a, b replacement) int { return cmp.Compare(a.from, b.from) })
	var out []byte
	from := 0
	for _, r := range e.edits {
		if r.from < from {
			return nil, false // they overlap
		}
		out = append(append(out, e.text[from:r.from]...), r.with...)
		from = r.to
	}
	out = append(out, e.text[from:]...)
	report := NewReport("")
	after := parse(out, report)
	return out, after != nil && !report.Failed() && same(e.root, after)
}

// same compares values.
func same(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Value != b.Value || a.ShortTag() != b.ShortTag() || len(a.Content) != len(b.Content) || a.Anchor != b.Anchor {
		return false
	}
	for i := range a.Content {
		if !same(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

func plainMapping(n *yaml.Node) bool { return n.Kind == yaml.MappingNode && n.Anchor == "" }

// entry returns a key of a mapping and its value, nil if there is none.
func entry(n *yaml.Node, name string) (key, value *yaml.Node) {
	if at := keyIndex(n, name); at >= 0 {
		return n.Content[at], n.Content[at+1]
	}
	return nil, nil
}

// keyIndex is where a key stands among a mapping's content, -1 if it is not there.
func keyIndex(n *yaml.Node, key string) int {
	if n.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		one := n.Content[i]
		if one.Kind == yaml.AliasNode {
			one = one.Alias
		}
		if one.Kind == yaml.ScalarNode && one.Value == key {
			return i
		}
	}
	return -1
}

func plain(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }

func mapping(content ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Content: content}
}
