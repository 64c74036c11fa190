package script

import (
	"errors"
	"os"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"

	"github.com/leat-run/leat/runtime"
)

// assemble parses and compiles the bundle in strict mode. esbuild has seen the text
// before, so that what fails here is syntax beyond what goja runs.
func (m *module) assemble() *runtime.Failure {
	program, err := goja.Parse(bundleFile, m.bundle.text, parser.WithSourceMapLoader(noMapFile))
	if err != nil {
		return m.syntaxFailure(err)
	}
	m.program, err = goja.CompileAST(program, true)
	if err != nil {
		return m.syntaxFailure(err)
	}
	return nil
}

// noMapFile keeps the parser from reading files that a comment names; the bundle's own
// map is inline.
func noMapFile(string) ([]byte, error) { return nil, os.ErrNotExist }

func (m *module) syntaxFailure(err error) *runtime.Failure {
	f := &runtime.Failure{
		Kind: runtime.KindCompile, Deterministic: true, File: m.code.Name,
		Message: runtime.Cut(err.Error(), runtime.MaxReason),
	}
	var list parser.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		p := list[0].Position
		f.Message, f.Hint = list[0].Message, "this syntax is newer than what a guest can run"
		if src, ok := m.bundle.sources.lookup(p.Filename); ok {
			f.File, f.Line, f.Column = src.display, m.bundle.sources.offset(p.Filename, p.Line), p.Column
		}
	}
	return f
}
