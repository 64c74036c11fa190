package document

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// Place is where a key or value stands in a document. The zero value is the whole document.
type Place struct {
	Line   int // from 1
	Column int // from 1, in characters
	// text is where the first character of a scalar's text stands, behind its quote or
	// below its block indicator.
	text struct{ line, column int }
	// blockIndent is how far every line of a block scalar's text is indented.
	blockIndent int
}

// Within returns the place of a line and column (both from 1) of the text of the scalar
// that stands here. It is exact for text without escapes and substitutions.
func (p Place) Within(line, column int) Place {
	if p.text.line == 0 || line < 1 {
		return Place{Line: p.Line, Column: p.Column}
	}
	out := Place{Line: p.text.line + line - 1, Column: p.blockIndent + max(column, 1)}
	if line == 1 {
		out.Column = p.text.column + max(column, 1) - 1
	}
	return out
}

// TextLine is the line on which the text of the scalar that stands here starts, and
// TextIndent how many columns a block scalar's lines are indented.
func (p Place) TextLine() int { return p.text.line }

// TextIndent says how many columns every line of a block scalar's text is indented; 0 for
// other scalars.
func (p Place) TextIndent() int { return p.blockIndent }

// place returns where a node stands. lines is the document's text.
func place(n *yaml.Node, lines lines) Place {
	p := Place{Line: n.Line, Column: n.Column}
	if n.Kind != yaml.ScalarNode {
		return p
	}
	p.text.line, p.text.column = n.Line, n.Column
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		p.text.line++
		p.blockIndent = indentBelow(lines, n.Line)
		p.text.column = p.blockIndent + 1
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		p.text.column++
	}
	return p
}

// indentBelow returns the indentation of the first line with text below the line (from 1).
func indentBelow(text lines, line int) int {
	for n := line + 1; n <= text.count(); n++ {
		l := text.line(n)
		if rest := bytes.TrimLeft(l, " "); len(bytes.TrimSpace(rest)) > 0 {
			return len(l) - len(rest)
		}
	}
	return 0
}
