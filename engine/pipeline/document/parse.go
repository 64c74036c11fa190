package document

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Bounds of a document.
const (
	// MaxBytes is how long a document may be.
	MaxBytes = 4 << 20
	// MaxNodes is how many values are read with every alias followed.
	MaxNodes = 100_000
	// maxDepth is how deep values may nest.
	maxDepth = 64
)

// parse returns the root of the only document in text, or nil after reporting why not.
func parse(text []byte, report *Report) *yaml.Node {
	text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))
	if len(text) > MaxBytes {
		report.Errorf(Place{}, "too-large", "split it into several documents", "the document has %d bytes, at most %d are read", len(text), MaxBytes)
		return nil
	}
	if at, ok := invalidUTF8(text); ok {
		report.Errorf(at, "syntax", "save the file as UTF-8", "the document is not UTF-8 text")
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var root yaml.Node
	if err := decoder.Decode(&root); errors.Is(err, io.EOF) {
		report.Errorf(Place{Line: 1, Column: 1}, "syntax", "start with `apiVersion: leat/v1`", "the document is empty")
		return nil
	} else if err != nil {
		reportSyntax(report, text, err)
		return nil
	}
	var second yaml.Node
	if err := decoder.Decode(&second); err == nil {
		report.Errorf(Place{Line: second.Line, Column: second.Column}, "multiple-documents", "put each document into a file of its own", "the file holds more than one document")
	} else if !errors.Is(err, io.EOF) {
		reportSyntax(report, text, err)
		return nil
	}
	return root.Content[0]
}

func invalidUTF8(text []byte) (Place, bool) {
	if utf8.Valid(text) {
		return Place{}, false
	}
	at := 0
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return Place{Line: linesOf(text[:at]).count()}, true
}

var syntaxLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?(.*)$`)

// parserProblem tells what the parser says from what its scanner says.
var parserProblem = regexp.MustCompile(`^did not find expected (<|node content|'|key)`)

// reportSyntax turns the parser's text, which is all it gives, into a position and a hint.
func reportSyntax(report *Report, text []byte, err error) {
	match := syntaxLine.FindStringSubmatch(strings.ReplaceAll(err.Error(), "\n", " "))
	line, _ := strconv.Atoi(match[1])
	line = max(line, 1)
	if parserProblem.MatchString(match[2]) {
		line++ // the YAML parser counts these lines from 0, those of its scanner from 1
	}
	report.Errorf(Place{Line: line, Column: 1}, "syntax", syntaxHint(text, line, match[2]), "the document is not valid YAML: %s", match[2])
}

func syntaxHint(text []byte, line int, problem string) string {
	lines := linesOf(text)
	last := min(line+1, lines.count())
	near := text[lines.starts[min(max(line-1, 1), last)-1]:lines.end(last)]
	switch {
	case bytes.Contains(near, []byte("\t")):
		return "YAML is indented by spaces, never by tabs"
	case bytes.Contains(near, []byte("${")) && bytes.ContainsAny(near, "{["):
		return "inside { } and [ ] a value with ${...} needs quotes"
	case strings.Contains(problem, "mapping values are not allowed"):
		return "a value that contains `: ` needs quotes"
	case strings.Contains(problem, "unknown anchor"):
		return "an alias *x needs an anchor &x before it"
	default:
		return "look at this line and the one above: indentation, a missing `:` or an open quote"
	}
}
