package script

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"

	"github.com/leat-run/leat/runtime"
)

// assemble parses the bundle, adds the ticks and compiles
//
//	(function (tick, size, ...) { <bundle>; return leat_module })
//
// so that calling it runs the module body anew. The names cannot be spelled by a guest.
func (m *module) assemble() *runtime.Failure {
	program, err := goja.Parse(bundleFile, m.bundle.text, parser.WithSourceMapLoader(noMap))
	if err != nil {
		return m.parseFailure(err)
	}
	r := newRewriter(m.settings.Allow)
	if r.program(program); r.refused != nil {
		return m.refusal(program.File, r.refused)
	}
	m.patterns = r.regexps
	m.warnings = append(m.warnings, m.stateWarnings(program)...)
	wrap(program)
	m.program, err = goja.CompileAST(program, true)
	if err != nil {
		return m.parseFailure(err)
	}
	return nil
}

func noMap(string) ([]byte, error) { return nil, errors.New("source maps are inline") }

// wrap makes the program one function expression.
func wrap(p *ast.Program) {
	at := p.Body[0].Idx0()
	list := &ast.ParameterList{Opening: at, Closing: at}
	for _, name := range hostNames {
		list.List = append(list.List, &ast.Binding{Target: identifier(name, at)})
	}
	body := append(p.Body, &ast.ReturnStatement{Return: at, Argument: identifier(exportsName, at)})
	end := body[len(body)-2].Idx1()
	function := &ast.FunctionLiteral{
		Function: at, ParameterList: list, DeclarationList: p.DeclarationList,
		Body: &ast.BlockStatement{LeftBrace: at, List: body, RightBrace: end},
	}
	p.Body = []ast.Statement{&ast.ExpressionStatement{Expression: function}}
	p.DeclarationList = nil
}

// parseFailure is the failure of what goja's parser or compiler refuses.
func (m *module) parseFailure(err error) *runtime.Failure {
	f := &runtime.Failure{Kind: runtime.KindCompile, Deterministic: true, File: m.code.Name, Message: runtime.Cut(err.Error(), runtime.MaxReason)}
	var list parser.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		f.Message = runtime.Cut(list[0].Message, runtime.MaxReason)
		m.place(f, list[0].Position)
	}
	return f
}

func (m *module) place(f *runtime.Failure, p file.Position) {
	src := &m.bundle.sources
	if known, ok := src.lookup(p.Filename); ok && p.Line > 0 {
		f.File, f.Line, f.Column = known.display, src.offset(p.Filename, p.Line), p.Column+1
		if lines := strings.Split(known.text, "\n"); p.Line <= len(lines) {
			f.Excerpt = excerpt(lines[p.Line-1], p.Column+1)
		}
	}
}

// refused is a construct that a guest may not use.
type refused struct {
	at            file.Idx
	message, hint string
}

func (m *module) refusal(src *file.File, r *refused) *runtime.Failure {
	f := &runtime.Failure{Kind: runtime.KindCompile, Deterministic: true, File: m.code.Name, Message: r.message, Hint: r.hint}
	m.place(f, src.Position(int(r.at)-src.Base()))
	return f
}

// maxWarnings bounds the warnings about module variables.
const maxWarnings = 50

// stateWarnings reports module-level let and var bindings of the author's own files:
// they live per worker.
func (m *module) stateWarnings(p *ast.Program) (found []runtime.Warning) {
	if m.settings.State == runtime.StateFresh {
		return nil
	}
	for _, d := range moduleBindings(p) {
		f := &runtime.Failure{}
		m.place(f, p.File.Position(int(d.at)-p.File.Base()))
		if f.Line == 0 || strings.Contains(f.File, "node_modules") {
			continue
		}
		if len(found) == maxWarnings {
			break
		}
		found = append(found, runtime.Warning{
			Code: "module-state", File: f.File, Line: f.Line, Column: f.Column,
			Message: fmt.Sprintf("%s is assigned and lives per worker from message to message: it is not durable and not replayed", d.name),
			Hint:    "keep state out of the module, or set state: fresh on the node",
		})
	}
	return found
}
