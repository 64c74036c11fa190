package document

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Setting is a key of a mapping and the plain text of its value.
type Setting struct{ Key, Value string }

// Edit returns text with the settings of the mapping at path changed or added, and every
// other byte as it was: comments, layout and the form of the mapping are kept. Path names
// mappings from the top; its last one is made where it does not exist, in front of the key
// before or, if that is not there, of the first key. Edit does not look at what the keys
// mean. An error says what it does not edit: aliases, ${...}, values that are no plain text.
func Edit(text []byte, path []string, settings []Setting, before string) ([]byte, error) {
	report := NewReport("")
	root := parse(text, report)
	if root == nil {
		return nil, fmt.Errorf("document: edit: %s", report.Sorted()[0].Message)
	}
	e := &editor{text: text, lines: lineStarts(text)}
	at := root
	for i, name := range path {
		next := child(at, name)
		if next == nil && i == len(path)-1 {
			if err := e.insertMapping(at, name, settings, before); err != nil {
				return nil, err
			}
			return e.apply(root, path, settings)
		}
		if next == nil || !plainMapping(next) && i < len(path)-1 {
			return nil, fmt.Errorf("document: edit: %s is no mapping that stands there as such", strings.Join(path[:i+1], "."))
		}
		at = next
	}
	if err := e.change(at, strings.Join(path, "."), settings); err != nil {
		return nil, err
	}
	return e.apply(root, path, settings)
}

// editor collects replacements of a text.
type editor struct {
	text  []byte
	lines []int
	edits []replacement
}

// replacement puts with in place of text[from:to].
type replacement struct {
	from, to int
	with     string
}

func plainMapping(n *yaml.Node) bool { return n.Kind == yaml.MappingNode && n.Anchor == "" }

// child returns the value of a key, nil if there is none.
func child(n *yaml.Node, name string) *yaml.Node {
	_, value := entry(n, name)
	return value
}

func entry(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// lineStarts returns where each line begins.
func lineStarts(text []byte) []int {
	starts := []int{0}
	if bytes.HasPrefix(text, []byte("\xEF\xBB\xBF")) {
		starts[0] = 3 // the parser does not count it
	}
	for i, c := range text {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// offset is where a node begins: the parser counts characters from 1.
func (e *editor) offset(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(e.lines) {
		return -1
	}
	at := e.lines[n.Line-1]
	for range n.Column - 1 {
		_, size := utf8.DecodeRune(e.text[at:])
		at += size
	}
	return at
}

func (e *editor) put(from, to int, with string) {
	e.edits = append(e.edits, replacement{from, to, with})
}

// change sets keys of a mapping that exists, or of a null.
func (e *editor) change(n *yaml.Node, name string, settings []Setting) error {
	switch {
	case isNull(n) && n.Value == "":
		return fmt.Errorf("document: edit: %s has no value: remove the key, or write %s: {}", name, name)
	case isNull(n):
		at := e.offset(n)
		e.put(at, at+len(n.Value), flow(settings))
		return nil
	case !plainMapping(n):
		return fmt.Errorf("document: edit: %s is an alias or no mapping: what it stands for may be used elsewhere", name)
	}
	var added []Setting
	for _, s := range settings {
		key, value := entry(n, s.Key)
		if key == nil {
			added = append(added, s)
			continue
		}
		if err := e.replace(value, name+"."+s.Key, s.Value); err != nil {
			return err
		}
	}
	if len(added) > 0 {
		e.add(n, added)
	}
	return nil
}

// replace puts a value in place of a plain or quoted one.
func (e *editor) replace(n *yaml.Node, name, value string) error {
	at := e.offset(n)
	var written string
	switch {
	case n.Kind != yaml.ScalarNode || n.Anchor != "" || n.Style&(yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) != 0:
		return fmt.Errorf("document: edit: %s is no plain value", name)
	case strings.Contains(n.Value, "${"):
		return fmt.Errorf("document: edit: %s is %s: change it where that comes from", name, n.Value)
	case n.Style&yaml.DoubleQuotedStyle != 0:
		written = `"` + n.Value + `"`
	case n.Style&yaml.SingleQuotedStyle != 0:
		written = "'" + n.Value + "'"
	default:
		written = n.Value
	}
	if at < 0 || !bytes.HasPrefix(e.text[at:], []byte(written)) {
		return fmt.Errorf("document: edit: %s is written in a way that is not edited: %q", name, n.Value)
	}
	e.put(at, at+len(written), value)
	return nil
}

// add puts keys in front of the first one.
func (e *editor) add(n *yaml.Node, settings []Setting) {
	at := e.offset(n)
	switch {
	case n.Style&yaml.FlowStyle == 0:
		at = e.offset(n.Content[0])
		indent := "\n" + strings.Repeat(" ", n.Content[0].Column-1)
		e.put(at, at, strings.Join(pairTexts(settings), indent)+indent)
	case len(n.Content) == 0:
		e.put(at+1, at+1, strings.Join(pairTexts(settings), ", "))
	default:
		e.put(at+1, at+1, strings.Join(pairTexts(settings), ", ")+", ")
	}
}

// insertMapping makes a mapping that is not there, as a key of n.
func (e *editor) insertMapping(n *yaml.Node, name string, settings []Setting, before string) error {
	if !plainMapping(n) || len(n.Content) == 0 {
		return fmt.Errorf("document: edit: there is no place for %s", name)
	}
	key, _ := entry(n, before)
	if key == nil || key.HeadComment != "" {
		key = n.Content[0]
	}
	at := e.offset(key)
	text := name + ": " + flow(settings)
	if n.Style&yaml.FlowStyle != 0 {
		text += ", "
	} else {
		text += "\n" + strings.Repeat(" ", key.Column-1)
	}
	e.put(at, at, text)
	return nil
}

func flow(settings []Setting) string { return "{" + strings.Join(pairTexts(settings), ", ") + "}" }

func pairTexts(settings []Setting) []string {
	out := make([]string, len(settings))
	for i, s := range settings {
		out[i] = s.Key + ": " + s.Value
	}
	return out
}

// apply makes the new text, and proves that it says what it said before but for the settings.
func (e *editor) apply(before *yaml.Node, path []string, settings []Setting) ([]byte, error) {
	slices.SortStableFunc(e.edits, func(a, b replacement) int { return cmp.Compare(a.from, b.from) })
	var out []byte
	from := 0
	for _, r := range e.edits {
		if r.from < from {
			return nil, fmt.Errorf("document: edit: %s: the changes overlap", strings.Join(path, "."))
		}
		out = append(append(out, e.text[from:r.from]...), r.with...)
		from = r.to
	}
	out = append(out, e.text[from:]...)
	after := parse(out, NewReport(""))
	if after == nil || !sameBut(before, after, path, settings) {
		return nil, fmt.Errorf("document: edit: %s cannot be edited where it stands: change it by hand", strings.Join(path, "."))
	}
	return out, nil
}

// sameBut says that two trees are the same, but that b has the settings at path.
func sameBut(a, b *yaml.Node, path []string, settings []Setting) bool {
	if len(path) == 0 {
		return sameSettings(a, b, settings)
	}
	if a.Kind != yaml.MappingNode || b.Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i+1 < len(a.Content); i += 2 {
		name := a.Content[i].Value
		other := child(b, name)
		if other == nil || name == path[0] && !sameBut(a.Content[i+1], other, path[1:], settings) || name != path[0] && !same(a.Content[i+1], other) {
			return false
		}
	}
	if child(a, path[0]) != nil {
		return len(a.Content) == len(b.Content)
	}
	made := child(b, path[0])
	return made != nil && len(path) == 1 && len(b.Content) == len(a.Content)+2 && sameSettings(&yaml.Node{Kind: yaml.MappingNode}, made, settings)
}

func sameSettings(a, b *yaml.Node, settings []Setting) bool {
	added := 0
	for _, s := range settings {
		value := child(b, s.Key)
		if value == nil || value.Kind != yaml.ScalarNode || value.Value != s.Value {
			return false
		}
		if child(a, s.Key) == nil {
			added += 2
		}
	}
	for i := 0; i+1 < len(a.Content); i += 2 {
		name := a.Content[i].Value
		if slices.ContainsFunc(settings, func(s Setting) bool { return s.Key == name }) {
			continue
		}
		if other := child(b, name); other == nil || !same(a.Content[i+1], other) {
			return false
		}
	}
	return b.Kind == yaml.MappingNode && len(b.Content) == len(a.Content)+added
}

// same compares values. Comments are bytes that no edit touches.
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
