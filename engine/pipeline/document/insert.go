package document

import (
	"bytes"
	"cmp"
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
	words = slices.Clone(words)
	slices.SortFunc(words, func(a, b Word) int {
		return cmp.Or(cmp.Compare(b.At.Line, a.At.Line), cmp.Compare(b.At.Column, a.At.Column))
	})
	for _, w := range words {
		at := offset(text, w.At)
		if at < len(text) && (text[at] == '"' || text[at] == '\'') {
			at++
		}
		if !bytes.HasPrefix(text[at:], []byte(w.Value)) {
			return nil, fmt.Errorf("line %d: %q is written in a way that cannot be edited", w.At.Line, w.Value)
		}
		text = slices.Concat(text[:at], []byte(with), text[at+len(w.Value):])
	}
	return text, nil
}

// offset is where a place stands in the text, in bytes.
func offset(text []byte, at Place) int {
	start := 0
	for range at.Line - 1 {
		next := bytes.IndexByte(text[start:], '\n')
		if next < 0 {
			return len(text)
		}
		start += next + 1
	}
	if at.Line == 1 && bytes.HasPrefix(text, []byte("\xEF\xBB\xBF")) {
		start += 3
	}
	for range at.Column - 1 {
		if start >= len(text) {
			break
		}
		size := 1
		for start+size < len(text) && text[start+size]&0xC0 == 0x80 {
			size++
		}
		start += size
	}
	return start
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
	root := parse(text, NewReport(""))
	if root == nil || root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 {
		return nil, fmt.Errorf("the document's keys do not stand on lines of their own")
	}
	section := keyIndex(root, in.Section)
	if section < 0 {
		before := keyIndex(root, in.Before)
		if before < 0 {
			return nil, fmt.Errorf("the document has neither %s nor %s", in.Section, in.Before)
		}
		block := append([]string{in.Section + ":"}, indentLines(in.Block, 2, 2)...)
		return insertLines(text, aboveComments(text, root.Content[before].Line, 0), append(block, "")), nil
	}
	value := root.Content[section+1]
	switch {
	case value.Kind == yaml.MappingNode && value.Style&yaml.FlowStyle != 0:
		at := offset(text, Place{Line: value.Line, Column: value.Column}) + 1
		entry := in.Flow
		if len(value.Content) > 0 {
			entry += ", "
		}
		return slices.Concat(text[:at], []byte(entry), text[at:]), nil
	case isNull(value) && value.Value == "":
		return insertLines(text, root.Content[section].Line, indentLines(in.Block, 2, 2)), nil
	case value.Kind != yaml.MappingNode:
		return nil, fmt.Errorf("line %d: %s is no mapping", value.Line, in.Section)
	}
	indent := value.Content[0].Column - 1
	line := root.Content[section].Line
	if in.After != "" {
		line = entryEnd(text, root, value, section, in.After)
	}
	return insertLines(text, line, indentLines(in.Block, indent, max(indent, 1))), nil
}

// keyIndex is where a key stands among a mapping's content, -1 if it is not there.
func keyIndex(n *yaml.Node, key string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// entryEnd is the last line of an entry: the comments above what follows are not its own.
func entryEnd(text []byte, root, section *yaml.Node, sectionAt int, after string) int {
	at := keyIndex(section, after)
	if next := at + 2; at >= 0 && next < len(section.Content) {
		return aboveComments(text, section.Content[next].Line, section.Content[next].Column-1)
	}
	if next := sectionAt + 2; next < len(root.Content) {
		return aboveComments(text, root.Content[next].Line, 0)
	}
	return aboveComments(text, bytes.Count(text, []byte("\n"))+2, 0)
}

// aboveComments returns the last line (from 1) above the one given that is neither blank nor a
// comment indented at most so far; 0 if there is none.
func aboveComments(text []byte, line, indent int) int {
	lines := strings.Split(string(text), "\n")
	line = min(line, len(lines)+1)
	for line > 1 {
		above := strings.TrimRight(lines[line-2], "\r")
		trimmed := strings.TrimLeft(above, " ")
		if trimmed != "" && (trimmed[0] != '#' || len(above)-len(trimmed) > indent) {
			break
		}
		line--
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

// insertLines puts lines behind a line (from 1; 0 is the start), with the text's own line ends.
func insertLines(text []byte, line int, lines []string) []byte {
	end := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		end = "\r\n"
	}
	at := offset(text, Place{Line: line + 1, Column: 1})
	block := strings.Join(lines, end) + end
	if at == len(text) && at > 0 && text[at-1] != '\n' {
		block = end + block
	}
	return slices.Concat(text[:at], []byte(block), text[at:])
}
