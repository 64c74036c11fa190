package pipeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/runtime"
)

// MaxCode is how long a script or module may be, in bytes.
const MaxCode = 64 << 20

// guest is code that a document names, compiled.
type guest struct {
	code     runtime.Code
	settings runtime.Settings
	module   runtime.Module // nil if something is wrong with it, which is then reported
}

// guest compiles what a node's plugin key names. o holds the keys beside it, who is the
// node in messages, entry what is called.
func (l *loader) guest(o *document.Object, who, name string, config *document.Object, entry runtime.Entry) guest {
	flavor := l.opt.Catalog.Flavors[name]
	g := guest{settings: settings(o, flavor, entry, l.guestConfig())}
	if l.opt.Fresh {
		g.settings.State = runtime.StateFresh
	}
	if change := l.opt.Budget; change != nil {
		g.settings.Budget = change(strings.TrimPrefix(who, "transform "), g.settings.Budget)
	}
	var ok bool
	if name == flavorScript {
		g.code, ok = l.script(config)
	} else {
		g.code, ok = l.file(config, "module")
	}
	if !ok {
		return g
	}
	g.code.Function, g.code.Entry = config.String("function"), entry
	if isolated(o) {
		if flavor = l.opt.Catalog.Isolated[name]; flavor == nil {
			l.report.Errorf(o.KeyAt("isolation"), "no-isolation", "leave the key out, and run only code that you trust", "%s cannot run in a child process here", name)
			return g
		}
	}
	module, err := flavor.Compile(l.ctx, g.code, g.settings)
	if err != nil {
		l.compileFailure(config, who, g.code, err)
		return g
	}
	l.plan.modules = append(l.plan.modules, module)
	g.module = module
	for _, w := range module.Warnings() {
		l.report.Add(l.locate(config, g.code, Diagnostic{
			Code: w.Code, Severity: SeverityWarning, Message: who + ": " + w.Message, Hint: w.Hint,
		}, w.File, w.Line, w.Column))
	}
	return g
}

// isolated says that a node asks for a child process.
func isolated(o *document.Object) bool {
	return o.Written("isolation") && Isolation(o.String("isolation")) == IsolationProcess
}

// guestConfig is what guests are told of the document, as JSON with sorted keys.
func (l *loader) guestConfig() []byte {
	object := func(m map[string]any) map[string]any {
		if m == nil {
			return map[string]any{}
		}
		return m
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(map[string]any{"constants": object(l.plan.Constants), "parameters": object(l.plan.Parameters)})
	if err != nil {
		panic("pipeline: constants are not JSON: " + err.Error()) // the reader makes JSON values only
	}
	return bytes.TrimSpace(out.Bytes())
}

// script is a file or inline source, of which exactly one must be there.
func (l *loader) script(config *document.Object) (runtime.Code, bool) {
	inFile, inline := config.Written("file"), config.Written("source")
	switch {
	case inFile && inline:
		l.report.Errorf(config.KeyAt("source"), "many-codes", "keep one of file and source", "script has both a file and a source")
		return runtime.Code{}, false
	case inFile:
		return l.file(config, "file")
	case !inline:
		l.report.Errorf(config.At, "missing-key", "write script: {file: transform.ts}, or source: | with the code below", "script names no code")
		return runtime.Code{}, false
	}
	text := config.String("source")
	return runtime.Code{
		Name: l.plan.File, Dir: l.plan.Dir, Bytes: []byte(text), Line: config.ValueAt("source").TextLine(),
	}, text != ""
}

// file reads the code that a key names by its path.
func (l *loader) file(config *document.Object, key string) (runtime.Code, bool) {
	name := config.String(key)
	if name == "" {
		return runtime.Code{}, false // reported when the value was read, or as a missing key
	}
	path := filepath.FromSlash(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(l.plan.Dir, path)
	}
	text, err := ReadFile(path, MaxCode)
	if err != nil {
		l.unreadableCode(config.ValueAt(key), name, path, err)
		return runtime.Code{}, false
	}
	return runtime.Code{Name: name, Path: path, Dir: l.plan.Dir, Bytes: text}, true
}

func (l *loader) unreadableCode(at document.Place, name, path string, err error) {
	if !errors.Is(err, fs.ErrNotExist) {
		l.report.Errorf(at, "unreadable", "check the path and its permissions", "%s cannot be read: %v", name, err)
		return
	}
	hint := "paths are relative to the document"
	if filepath.Ext(path) == ".wasm" {
		hint = "build it first; " + hint
	}
	if near := document.Nearest(filepath.Base(path), slices.Values(filesIn(filepath.Dir(path)))); near != "" {
		hint = "did you mean " + filepath.ToSlash(filepath.Join(filepath.Dir(name), near)) + "?"
	}
	l.report.Errorf(at, "no-file", hint, "there is no file %s", name)
}

// filesIn returns the names of the files in a directory, at most 1000, for a hint.
func filesIn(dir string) []string {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = d.Close() }()
	entries, _ := d.ReadDir(1000)
	var out []string
	for _, e := range entries {
		if !e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out
}

// compileFailure reports why code cannot be loaded, in the author's source where known.
func (l *loader) compileFailure(config *document.Object, who string, code runtime.Code, err error) {
	var failure *runtime.Failure
	if !errors.As(err, &failure) {
		l.report.Errorf(config.At, "compile", "", "%s cannot be compiled: %v", who, err)
		return
	}
	message := who + ": " + failure.Message
	if failure.Excerpt != "" {
		message += "\n" + failure.Excerpt
	}
	l.report.Add(l.locate(config, code, Diagnostic{
		Code: "compile", Severity: SeverityError, Message: message, Hint: failure.Hint,
	}, failure.File, failure.Line, failure.Column))
}

// locate puts a diagnostic on code where it belongs: into the code's own file, beside the
// document in the way that the document is named, or where the document names the code.
func (l *loader) locate(config *document.Object, code runtime.Code, d Diagnostic, file string, line, column int) Diagnostic {
	if line == 0 || file == "" {
		d.Line, d.Column = config.At.Line, config.At.Column
		return d
	}
	d.File, d.Line, d.Column = file, line, column
	if code.Path == "" && file == code.Name {
		if column > 0 {
			d.Column += config.ValueAt("source").TextIndent()
		}
		return d
	}
	if !filepath.IsAbs(file) {
		d.File = filepath.Join(filepath.Dir(l.plan.File), filepath.FromSlash(file))
	}
	return d
}
