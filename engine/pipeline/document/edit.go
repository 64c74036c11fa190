package document

import (
	"fmt"
	"slices"
	"strings"

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
	e, err := edit(text)
	if err != nil {
		return nil, fmt.Errorf("document: edit: %w", err)
	}
	if err := e.set(path, settings, before); err != nil {
		return nil, fmt.Errorf("document: edit: %w", err)
	}
	out, ok := e.apply()
	if !ok {
		return nil, fmt.Errorf("document: edit: %s cannot be edited where it stands: change it by hand", strings.Join(path, "."))
	}
	return out, nil
}

// set goes down the path.
func (e *editor) set(path []string, settings []Setting, before string) error {
	at := e.root
	for i, name := range path {
		if !plainMapping(at) {
			return fmt.Errorf("%s is no mapping that stands there as such", strings.Join(path[:i], "."))
		}
		_, next := entry(at, name)
		switch {
		case next == nil && i == len(path)-1:
			return e.insertMapping(at, name, settings, before)
		case next == nil:
			return fmt.Errorf("%s is no mapping that stands there as such", strings.Join(path[:i+1], "."))
		}
		at = next
	}
	return e.change(at, strings.Join(path, "."), settings)
}

// change sets keys of a mapping that exists, or of a null.
func (e *editor) change(n *yaml.Node, name string, settings []Setting) error {
	switch {
	case isNull(n) && n.Value == "":
		return fmt.Errorf("%s has no value: remove the key, or write %s: {}", name, name)
	case isNull(n):
		if !e.puts(n, n.Value, flow(settings)) {
			return notEdited(name, n)
		}
		*n = *mapping(pairs(settings)...)
		return nil
	case !plainMapping(n):
		return fmt.Errorf("%s is an alias or no mapping: what it stands for may be used elsewhere", name)
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
		*value = *plain(s.Value)
	}
	if len(added) > 0 {
		return e.add(n, name, added)
	}
	return nil
}

func notEdited(name string, n *yaml.Node) error {
	return fmt.Errorf("%s is written in a way that is not edited: %q", name, n.Value)
}

// replace puts a text in place of a plain or quoted value.
func (e *editor) replace(n *yaml.Node, name, with string) error {
	switch {
	case n.Kind != yaml.ScalarNode || n.Anchor != "" || n.Style&(yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) != 0:
		return fmt.Errorf("%s is no plain value", name)
	case strings.Contains(n.Value, "${"):
		return fmt.Errorf("%s is %s: change it where that comes from", name, n.Value)
	}
	quote := quoteOf(n)
	if !e.puts(n, quote+n.Value+quote, with) {
		return notEdited(name, n)
	}
	return nil
}

// quoteOf is what stands around the text of a scalar.
func quoteOf(n *yaml.Node) string {
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return `"`
	case n.Style&yaml.SingleQuotedStyle != 0:
		return "'"
	default:
		return ""
	}
}

// add puts keys in front of the first one.
func (e *editor) add(n *yaml.Node, name string, settings []Setting) error {
	texts := pairTexts(settings)
	switch {
	case n.Style&yaml.FlowStyle == 0:
		first := n.Content[0]
		at, ok := e.node(first)
		if !ok {
			return notEdited(name, first)
		}
		indent := e.lineEnd() + strings.Repeat(" ", first.Column-1)
		e.insert(at, strings.Join(texts, indent)+indent)
	default:
		with := "{" + strings.Join(texts, ", ")
		if len(n.Content) > 0 {
			with += ", "
		}
		if !e.puts(n, "{", with) {
			return notEdited(name, n)
		}
	}
	n.Content = append(pairs(settings), n.Content...)
	return nil
}

// insertMapping makes a mapping that is not there, as a key of n.
func (e *editor) insertMapping(n *yaml.Node, name string, settings []Setting, before string) error {
	if len(n.Content) == 0 {
		return fmt.Errorf("there is no place for %s", name)
	}
	index := max(keyIndex(n, before), 0)
	if n.Content[index].HeadComment != "" {
		index = 0
	}
	key := n.Content[index]
	at, ok := e.node(key)
	if !ok {
		return notEdited(name, key)
	}
	text := name + ": " + flow(settings)
	if n.Style&yaml.FlowStyle != 0 {
		text += ", "
	} else {
		text += e.lineEnd() + strings.Repeat(" ", key.Column-1)
	}
	e.insert(at, text)
	n.Content = slices.Insert(n.Content, index, plain(name), mapping(pairs(settings)...))
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

// pairs are the keys and values as a mapping's content.
func pairs(settings []Setting) []*yaml.Node {
	var out []*yaml.Node
	for _, s := range settings {
		out = append(out, plain(s.Key), plain(s.Value))
	}
	return out
}
