package script

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	esbuild "github.com/evanw/esbuild/pkg/api"

	"github.com/leat-run/leat/runtime"
)

// loader reads every file of a bundle for esbuild, so that each is bounded and scanned
// before any parser sees it, and nothing else is ever read: a sourceMappingURL comment
// makes esbuild open the path in it.
type loader struct {
	code    runtime.Code
	sources sources
}

// resolveDir is where imports are looked up from.
func (l *loader) resolveDir() string {
	if l.code.Path != "" {
		return filepath.Dir(l.code.Path)
	}
	if l.code.Dir != "" {
		return l.code.Dir
	}
	return string(filepath.Separator)
}

// entry returns the script itself, scanned.
func (l *loader) entry() (string, *runtime.Failure) {
	text := string(l.code.Bytes)
	l.sources.add(entryFile, l.code.Name, text)
	if f := scanFile(text, loaderOf(l.code)); f != nil {
		return "", l.sources.scanFailure(entryFile, f)
	}
	return withoutMapComment(text), nil
}

func (l *loader) plugin() esbuild.Plugin {
	return esbuild.Plugin{Name: "leat", Setup: func(b esbuild.PluginBuild) {
		b.OnLoad(esbuild.OnLoadOptions{Filter: ".*", Namespace: "file"}, l.load)
	}}
}

// loaders are the files that a script can import, by extension.
var loaders = map[string]esbuild.Loader{
	".js": esbuild.LoaderJS, ".mjs": esbuild.LoaderJS, ".cjs": esbuild.LoaderJS, ".jsx": esbuild.LoaderJSX,
	".ts": esbuild.LoaderTS, ".mts": esbuild.LoaderTS, ".cts": esbuild.LoaderTS, ".tsx": esbuild.LoaderTSX,
	".json": esbuild.LoaderJSON, ".txt": esbuild.LoaderText,
}

// load reads one imported file. It is called on esbuild's goroutines.
func (l *loader) load(args esbuild.OnLoadArgs) (esbuild.OnLoadResult, error) {
	ext := filepath.Ext(args.Path)
	kind, ok := loaders[ext]
	if !ok {
		return esbuild.OnLoadResult{}, fmt.Errorf("a script cannot import %q files: it can import JavaScript, TypeScript, .json and .txt", ext)
	}
	text, err := readSource(args.Path)
	if err != nil {
		return esbuild.OnLoadResult{}, err
	}
	name := l.sources.relative(args.Path)
	l.sources.add(name, l.sources.display(name), text)
	if f := scanFile(text, kind); f != nil {
		return esbuild.OnLoadResult{Errors: []esbuild.Message{{
			Text: f.message, Notes: []esbuild.Note{{Text: f.hint}},
			Location: &esbuild.Location{File: name, Line: f.line, Column: f.column - 1},
		}}}, nil
	}
	if kind != esbuild.LoaderText {
		text = withoutMapComment(text)
	}
	return esbuild.OnLoadResult{Contents: &text, Loader: kind, ResolveDir: filepath.Dir(args.Path)}, nil
}

// scanFile finds what keeps a file from the parsers.
func scanFile(text string, kind esbuild.Loader) *scanFault {
	if f := scanUTF8(text); f != nil {
		return f
	}
	switch kind {
	case esbuild.LoaderText:
		return nil
	case esbuild.LoaderJSX, esbuild.LoaderTSX:
		return prescanMarkup(text)
	default:
		return prescan(text)
	}
}

// scanUTF8 refuses what is not UTF-8: esbuild never ends with some of it.
func scanUTF8(text string) *scanFault {
	if utf8.ValidString(text) {
		return nil
	}
	at := 0
	for {
		r, size := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return &scanFault{
		message: "the source is not UTF-8 text", hint: "save the file as UTF-8",
		line: 1 + strings.Count(text[:at], "\n"), column: at - strings.LastIndexByte(text[:at], '\n'),
	}
}

// readSource reads a regular file of bounded size.
func readSource(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", filepath.Base(path))
	}
	if info.Size() > maxSource {
		return "", fmt.Errorf("%s has %d bytes, a source file may have %d", filepath.Base(path), info.Size(), maxSource)
	}
	text, err := os.ReadFile(path)
	return string(text), err
}

// withoutMapComment disarms comments that would make a parser read another file. The
// length stays, and with it every position.
func withoutMapComment(text string) string {
	return strings.ReplaceAll(text, "sourceMappingURL=", "sourceMappingURL ")
}
