package script

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

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
	if f := prescanOf(loaderOf(l.code))(text); f != nil {
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
	if kind != esbuild.LoaderText {
		if f := prescanOf(kind)(text); f != nil {
			return esbuild.OnLoadResult{Errors: []esbuild.Message{{
				Text: f.message, Notes: []esbuild.Note{{Text: f.hint}},
				Location: &esbuild.Location{File: name, Line: f.line, Column: f.column - 1},
			}}}, nil
		}
		text = withoutMapComment(text)
	}
	return esbuild.OnLoadResult{Contents: &text, Loader: kind, ResolveDir: filepath.Dir(args.Path)}, nil
}

func prescanOf(kind esbuild.Loader) func(string) *scanFault {
	if kind == esbuild.LoaderJSX || kind == esbuild.LoaderTSX {
		return prescanMarkup
	}
	return prescan
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
