package script

import (
	"fmt"
	"path/filepath"
	"strings"

	esbuild "github.com/evanw/esbuild/pkg/api"

	"github.com/leat-run/leat/runtime"
)

// bundle is a script in one piece: plain ES2022 that leaves its exports in exportsName.
type bundle struct {
	text    string // with its source map inline
	sources sources
	warned  []runtime.Warning
}

// exportsName is the variable that holds the module's exports in a bundle.
const exportsName = "leat_module"

// maxBundle bounds a bundle's text, without its source map.
const maxBundle = 4 << 20

// unsupported is what goja cannot run although it is within ES2022, or beyond it.
var unsupported = map[string]bool{
	"async-generator": false, "for-await": false, "using": false, "decorators": false,
	"top-level-await": false, "import-meta": false, "dynamic-import": false,
}

// build bundles code. A source without exports that declares the entry point is the
// function form: it is exported on the author's behalf.
func build(code runtime.Code) (*bundle, *runtime.Failure) {
	name := entryName(code)
	plain, failure := runEsbuild(code, "")
	if failure != nil {
		return nil, failure
	}
	if strings.Contains(plain.text, "__export(") || strings.Contains(plain.text, "__commonJS(") {
		return plain, nil
	}
	if exported, failed := runEsbuild(code, "\nexport { "+name+" };\n"); failed == nil {
		return exported, nil
	}
	return plain, nil
}

// entryName is the name of the function form's function.
func entryName(code runtime.Code) string {
	if code.Function != "" && code.Function != "default" {
		return code.Function
	}
	code.Function = ""
	return code.EntryFunction()
}

// runEsbuild bundles code with epilogue appended to the entry.
func runEsbuild(code runtime.Code, epilogue string) (*bundle, *runtime.Failure) {
	load := &loader{code: code, sources: sources{dir: code.Dir, line: code.Line, name: code.Name}}
	load.sources.base = load.resolveDir()
	entry, failure := load.entry()
	if failure != nil {
		return nil, failure
	}
	result := esbuild.Build(esbuild.BuildOptions{
		Stdin: &esbuild.StdinOptions{
			Contents: entry + epilogue, ResolveDir: load.resolveDir(), Sourcefile: entryFile, Loader: loaderOf(code),
		},
		Plugins:       []esbuild.Plugin{load.plugin()},
		AbsWorkingDir: load.resolveDir(),
		Outfile:       filepath.Join(load.resolveDir(), bundleFile),
		Bundle:        true,
		Write:         false,
		Format:        esbuild.FormatIIFE,
		GlobalName:    exportsName,
		Platform:      esbuild.PlatformNeutral,
		MainFields:    []string{"module", "main"},
		Target:        esbuild.ES2022,
		Supported:     unsupported,
		Sourcemap:     esbuild.SourceMapInline,
		LegalComments: esbuild.LegalCommentsNone,
		KeepNames:     false,
		TsconfigRaw:   "{}",
		LogLevel:      esbuild.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		return nil, load.sources.failure(result.Errors)
	}
	return load.finish(result)
}

const (
	entryFile  = "leat-entry"  // the entry's name inside the source map
	bundleFile = "leat-bundle" // the bundle's name
)

func loaderOf(code runtime.Code) esbuild.Loader {
	switch filepath.Ext(code.Path) {
	case ".js", ".mjs", ".cjs":
		return esbuild.LoaderJS
	case ".jsx":
		return esbuild.LoaderJSX
	case ".tsx":
		return esbuild.LoaderTSX
	default:
		return esbuild.LoaderTS // inline source too: types may be left out
	}
}

// finish checks the bundle's size and collects esbuild's warnings.
func (l *loader) finish(result esbuild.BuildResult) (*bundle, *runtime.Failure) {
	text := string(result.OutputFiles[0].Contents)
	if size := strings.LastIndex(text, "//# sourceMappingURL="); size > maxBundle {
		return nil, &runtime.Failure{
			Kind: runtime.KindCompile, Deterministic: true, File: l.code.Name,
			Message:  fmt.Sprintf("the script and its packages are larger than %d bytes", maxBundle),
			Hint:     "import less of the package, or a smaller one",
			Measured: int64(size), Limit: maxBundle,
		}
	}
	b := &bundle{text: text, sources: l.sources}
	for _, w := range result.Warnings {
		file, line, column := l.sources.place(w.Location)
		b.warned = append(b.warned, runtime.Warning{
			Code: "script-" + w.ID, Message: w.Text, File: file, Line: line, Column: column,
		})
	}
	return b, nil
}
