package document

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Edits of a document's text that leave every other byte of it as it is: comments, blank
// lines, quotes.

// Word is a single value or a key of a document, with where it stands.
type Word struct {
	// Path leads to it: keys, and "-" for an element of a list. A key is the last of its path.
	Path  []string
	Value string
	At    Place
}

// Words returns every single value and key of a document in order; nil if text is none.
func Words(text []byte) []Word {
	root := parse(text, NewReport(""))
	if root == nil {
		return nil
	}
	var out []Word
	budget := MaxNodes
	var walk func(n *yaml.Node, path []string)
	walk = func(n *yaml.Node, path []string) {
		if budget--; budget < 0 || len(path) > maxDepth {
			return
		}
		switch n.Kind {
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				key := append(slices.Clone(path), n.Content[i].Value)
				out = append(out, Word{key, n.Content[i].Value, Place{Line: n.Content[i].Line, Column: n.Content[i].Column}})
				walk(n.Content[i+1], key)
			}
		case yaml.SequenceNode:
			for _, element := range n.Content {
				walk(element, append(slices.Clone(path), "-"))
			}
		case yaml.ScalarNode:
			out = append(out, Word{path, n.Value, Place{Line: n.Line, Column: n.Column}})
		}
	}
	walk(root, nil)
	return out
}

// Replace writes a new text in place of each word, which must stand in the document as it
// is, with or without quotes. REQUIRES: the words are of this text.
func Replace(text []byte, words []Word, with string) ([]byte, error) {
	e, err := edit(text)
	if err != nil {
		return nil, err
	}
	wanted := make(map[Place]string, len(words))
	for _, w := range words {
		wanted[Place{Line: w.At.Line, Column: w.At.Column}] = w.Value
	}
	for _, n := range scalars(e.root, nil) {
		if value, ok := wanted[Place{Line: n.Line, Column: n.Column}]; !ok || value != n.Value {
			continue
		}
		if quote := quoteOf(n); !e.puts(n, quote+n.Value+quote, quote+with+quote) {
			return nil, fmt.Errorf("line %d: %q is written in a way that cannot be edited", n.Line, n.Value)
		}
		n.Value = with
		if n.Style&yaml.TaggedStyle == 0 {
			n.Tag = "" // of what it says now
		}
	}
	out, ok := e.apply()
	if !ok {
		return nil, fmt.Errorf("%q cannot be written in place of other words", with)
	}
	return out, nil
}

// scalars appends the single values and the keys below a node.
func scalars(n *yaml.Node, out []*yaml.Node) []*yaml.Node {
	if n.Kind == yaml.ScalarNode {
		out = append(out, n)
	}
	for _, one := range n.Content {
		out = scalars(one, out)
	}
	return out
}

// Insertion is an entry that is put into a section of a document.
type Insertion struct {
	// Section is a key of the outermost mapping; it is made in front of Before if it is missing.
	Section, Before string
	// After is the entry behind which the new one goes; "" is the section's start.
	After string
	// Block is the entry by lines, two spaces a level; Flow is the same for a section in braces.
	Block []string
	Flow  string
}

// Insert puts an entry into a document.
func Insert(text []byte, in Insertion) ([]byte, error) {
	e, err := edit(text)
	if err != nil {
		return nil, err
	}
	if !plainMapping(e.root) || e.root.Style&yaml.FlowStyle != 0 {
		return nil, fmt.Errorf("the document's keys do not stand on lines of their own")
	}
	if err := e.insertEntry(in); err != nil {
		return nil, err
	}
	out, ok := e.apply()
	if !ok {
		return nil, fmt.Errorf("%s has no place that an entry can be put to", in.Section)
	}
	return out, nil
}

// insertEntry puts the entry where its section is.
func (e *editor) insertEntry(in Insertion) error {
	made := parse([]byte(in.Flow), NewReport(""))
	if made == nil || made.Kind != yaml.MappingNode {
		return fmt.Errorf("%q is no entry", in.Flow)
	}
	_, value := entry(e.root, in.Section)
	switch {
	case value == nil:
		return e.insertSection(in, made)
	case value.Kind == yaml.MappingNode && value.Anchor != "":
		return fmt.Errorf("line %d: %s may be used elsewhere", value.Line, in.Section)
	case value.Kind == yaml.MappingNode && value.Style&yaml.FlowStyle != 0:
		return e.insertFlow(in, value, made)
	case isNull(value) && value.Value == "":
		key, _ := entry(e.root, in.Section)
		e.insertLines(key.Line, indentLines(in.Block, 2, 2))
		*value = *made
		return nil
	case value.Kind != yaml.MappingNode:
		return fmt.Errorf("line %d: %s is no mapping", value.Line, in.Section)
	default:
		return e.insertBlock(in, value, made)
	}
}

// insertSection makes the section.
func (e *editor) insertSection(in Insertion, made *yaml.Node) error {
	before := keyIndex(e.root, in.Before)
	if before < 0 {
		return fmt.Errorf("the document has neither %s nor %s", in.Section, in.Before)
	}
	block := append([]string{in.Section + ":"}, indentLines(in.Block, 2, 2)...)
	e.insertLines(e.aboveComments(e.root.Content[before].Line, 0), append(block, ""))
	e.root.Content = slices.Insert(e.root.Content, before, plain(in.Section), made)
	return nil
}

// insertFlow puts the entry in front of the others of a section in braces.
func (e *editor) insertFlow(in Insertion, section, made *yaml.Node) error {
	with := "{" + in.Flow
	if len(section.Content) > 0 {
		with += ", "
	}
	if !e.puts(section, "{", with) {
		return fmt.Errorf("line %d: %s is written in a way that cannot be edited", section.Line, in.Section)
	}
	section.Content = append(made.Content, section.Content...)
	return nil
}

// insertBlock puts the entry on lines of its own, as far in as the section's others.
func (e *editor) insertBlock(in Insertion, section, made *yaml.Node) error {
	key, _ := entry(e.root, in.Section)
	indent, line, index := section.Content[0].Column-1, key.Line, 0
	if in.After != "" {
		after := keyIndex(section, in.After)
		if after < 0 {
			return fmt.Errorf("line %d: %s has no %s", key.Line, in.Section, in.After)
		}
		index = after + 2
		line = e.entryEnd(section, keyIndex(e.root, in.Section), index)
	}
	e.insertLines(line, indentLines(in.Block, indent, max(indent, 1)))
	section.Content = slices.Insert(section.Content, index, made.Content...)
	return nil
}

// entryEnd is the last line of the entry in front of the next, an index of the section: the
// comments above what follows are not its own.
func (e *editor) entryEnd(section *yaml.Node, sectionAt, next int) int {
	if next < len(section.Content) {
		return e.aboveComments(section.Content[next].Line, section.Content[next].Column-1)
	}
	if next := sectionAt + 2; next < len(e.root.Content) {
		return e.aboveComments(e.root.Content[next].Line, 0)
	}
	return e.aboveComments(e.count()+1, 0)
}

// aboveComments returns the last line (from 1) above the one given that is neither blank nor a
// comment indented at most so far; 0 if there is none.
func (e *editor) aboveComments(line, indent int) int {
	for line = min(line, e.count()+1); line > 1; line-- {
		above := e.line(line - 1)
		trimmed := bytes.TrimLeft(above, " ")
		if len(trimmed) > 0 && (trimmed[0] != '#' || len(above)-len(trimmed) > indent) {
			break
		}
	}
	return line - 1
}

// indentLines sets lines, two spaces a level, to an indentation and a step per level.
func indentLines(lines []string, indent, step int) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		rest := strings.TrimLeft(line, " ")
		level := (len(line) - len(rest)) / 2
		out[i] = strings.Repeat(" ", indent+level*step) + rest
	}
	return out
}

// lineEnd is how the text ends its lines.
func (e *editor) lineEnd() string {
	if bytes.Contains(e.text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// insertLines puts lines behind a line (from 1; 0 is the start), with the text's own line ends.
func (e *editor) insertLines(line int, block []string) {
	end := e.lineEnd()
	at := e.starts[0]
	if line > 0 {
		at = e.end(line)
	}
	text := strings.Join(block, end) + end
	if at == len(e.text) && line == e.count() && len(e.line(line)) > 0 {
		text = end + text // the last line has no end
	}
	e.insert(at, text)
}
