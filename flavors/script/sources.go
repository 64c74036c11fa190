package script

import (
	"net/url"
	"path/filepath"
	"strings"
	"sync"

	"github.com/dop251/goja"
	esbuild "github.com/evanw/esbuild/pkg/api"

	"github.com/leat-run/leat/runtime"
)

// sources are the author's files behind a bundle: what positions are told against.
// It is safe for concurrent use while esbuild runs and immutable afterwards.
type sources struct {
	dir  string // the document's directory
	base string // what names in the source map are relative to
	name string // the entry as the document names it
	line int    // the document's line of inline source, 0 for a file
	mu   *sync.Mutex
	text map[string]source // by the name in the source map
}

type source struct{ display, text string }

func (s *sources) add(name, display, text string) {
	if s.mu == nil {
		s.mu, s.text = new(sync.Mutex), make(map[string]source)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text[name] = source{display, text}
}

// relative is a file's name inside the source map: relative to where esbuild writes.
func (s *sources) relative(path string) string { return path }

// display is a file's name in a failure: relative to the document.
func (s *sources) display(path string) string {
	if rel, err := filepath.Rel(s.dir, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

// failure turns esbuild's errors into one failure, about the first.
func (s *sources) failure(errors []esbuild.Message) *runtime.Failure {
	first := errors[0]
	file, line, column := s.place(first.Location)
	f := &runtime.Failure{
		Kind: runtime.KindCompile, Deterministic: true,
		Message: runtime.Cut(first.Text, runtime.MaxReason), Hint: compileHint(first),
		File: file, Line: line, Column: column,
	}
	if first.Location != nil {
		f.Excerpt = excerpt(first.Location.LineText, column)
	}
	if f.File == "" {
		f.File = s.name
	}
	return f
}

// compileHint says what to do about an esbuild error.
func compileHint(m esbuild.Message) string {
	text := m.Text
	switch {
	case strings.HasPrefix(text, "Could not resolve") && isBuiltin(text):
		return "a guest has no files, network or environment; do without this module of node"
	case strings.HasPrefix(text, "Could not resolve"):
		return "packages are looked up in node_modules beside the script and above: npm install it there"
	case strings.Contains(text, "op-level await"):
		return "await inside the transform function: export default async function (msg) { ... }"
	case len(m.Notes) > 0:
		return runtime.Cut(m.Notes[0].Text, 512)
	default:
		return ""
	}
}

// isBuiltin says whether an unresolved name is one of node's own modules.
func isBuiltin(text string) bool {
	if strings.Contains(text, `"node:`) {
		return true
	}
	for _, name := range []string{"fs", "path", "http", "https", "net", "os", "child_process", "crypto", "stream", "util", "process", "timers"} {
		if strings.Contains(text, `"`+name+`"`) || strings.Contains(text, `"`+name+`/`) {
			return true
		}
	}
	return false
}

// place translates esbuild's location to the author's.
func (s *sources) place(l *esbuild.Location) (file string, line, column int) {
	if l == nil {
		return "", 0, 0
	}
	return s.author(l.File, l.Line), s.offset(l.File, l.Line), l.Column + 1
}

// author returns the display name of a source, and the entry's where it is unknown.
func (s *sources) author(name string, _ int) string {
	if src, ok := s.lookup(name); ok {
		return src.display
	}
	return name
}

func (s *sources) offset(name string, line int) int {
	if s.line > 0 && isEntry(name) {
		return line + s.line - 1
	}
	return line
}

func isEntry(name string) bool { return name == entryFile || strings.HasSuffix(name, "/"+entryFile) }

func (s *sources) lookup(name string) (source, bool) {
	if isEntry(name) {
		name = entryFile
	}
	if src, ok := s.text[name]; ok {
		return src, true
	}
	if src, ok := s.text[filepath.Join(s.base, filepath.FromSlash(name))]; ok {
		return src, true
	}
	plain, err := url.PathUnescape(name) // goja makes a URL of it
	if err != nil || plain == name {
		return source{}, false
	}
	src, ok := s.text[filepath.Join(s.base, filepath.FromSlash(plain))]
	return src, ok
}

// frame returns the author's place of a stack frame; ok is false for a frame outside
// the author's files.
func (s *sources) frame(f *goja.StackFrame) (file string, line, column int, ok bool) {
	p := f.Position()
	src, known := s.lookup(p.Filename)
	if !known || p.Line == 0 {
		return "", 0, 0, false
	}
	return src.display, s.offset(p.Filename, p.Line), p.Column + 1, true // source maps count from 0
}

// excerptAt returns the source line of a stack frame with a caret.
func (s *sources) excerptAt(f *goja.StackFrame) string {
	p := f.Position()
	src, ok := s.lookup(p.Filename)
	if !ok {
		return ""
	}
	lines := strings.Split(src.text, "\n")
	if p.Line < 1 || p.Line > len(lines) {
		return ""
	}
	return excerpt(strings.TrimSuffix(lines[p.Line-1], "\r"), p.Column+1)
}

// excerptWidth bounds an excerpt's line.
const excerptWidth = 160

// excerpt draws a caret under column (from 1) of line.
func excerpt(line string, column int) string {
	if line == "" || column < 1 {
		return ""
	}
	if column > excerptWidth { // a minified line: show what is around the place
		from := min(column-excerptWidth/2, len(line))
		line, column = strings.ToValidUTF8(line[from:], ""), excerptWidth/2
	}
	if len(line) > excerptWidth {
		line = strings.ToValidUTF8(line[:excerptWidth], "")
	}
	indent := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, line[:min(column-1, len(line))])
	return line + "\n" + indent + "^"
}

// scanFailure is the failure of a source that the pre-scan refused.
func (s *sources) scanFailure(name string, f *scanFault) *runtime.Failure {
	src, _ := s.lookup(name)
	return &runtime.Failure{
		Kind: runtime.KindCompile, Deterministic: true, Message: f.message, Hint: f.hint,
		File: src.display, Line: s.offset(name, f.line), Column: f.column,
	}
}
