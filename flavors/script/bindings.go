package script

import (
	"reflect"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// binding is a module-level variable that can be assigned.
type binding struct {
	name string
	at   file.Idx
}

// moduleBindings lists the let and var bindings without a function's name directly in
// the bundle's module function that are assigned somewhere.
func moduleBindings(p *ast.Program) (found []binding) {
	assigned := assignedNames(p)
	for _, statement := range moduleBody(p) {
		var list []*ast.Binding
		switch s := statement.(type) {
		case *ast.VariableStatement:
			list = s.List
		case *ast.LexicalDeclaration:
			if s.Token == token.LET {
				list = s.List
			}
		}
		for _, b := range list {
			if id, ok := b.Target.(*ast.Identifier); ok && assigned[id.Name] {
				found = append(found, binding{id.Name.String(), id.Idx})
			}
		}
	}
	return found
}

// moduleBody returns the statements of the arrow function that esbuild wraps a module in.
func moduleBody(p *ast.Program) []ast.Statement {
	for _, s := range p.Body {
		if v, ok := s.(*ast.VariableStatement); ok && len(v.List) == 1 {
			if call, ok := v.List[0].Initializer.(*ast.CallExpression); ok {
				if arrow, ok := call.Callee.(*ast.ArrowFunctionLiteral); ok {
					if b, ok := arrow.Body.(*ast.BlockStatement); ok {
						return b.List
					}
				}
			}
		}
	}
	return nil
}

// assignedNames lists the variables that are assigned or counted anywhere, by name.
func assignedNames(p *ast.Program) map[unistring.String]bool {
	names := make(map[unistring.String]bool)
	add := func(target ast.Expression) {
		if id, ok := target.(*ast.Identifier); ok {
			names[id.Name] = true
		}
	}
	var look func(v reflect.Value)
	look = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Interface:
			if !v.IsNil() {
				look(v.Elem())
			}
		case reflect.Pointer:
			if v.IsNil() {
				return
			}
			switch n := v.Interface().(type) {
			case *ast.AssignExpression:
				add(n.Left)
			case *ast.UnaryExpression:
				if n.Operator == token.INCREMENT || n.Operator == token.DECREMENT {
					add(n.Operand)
				}
			case *file.File:
				return
			}
			look(v.Elem())
		case reflect.Slice:
			for i := range v.Len() {
				look(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.IsExported() && f.Name != "DeclarationList" {
					look(v.Field(i))
				}
			}
		}
	}
	look(reflect.ValueOf(p.Body))
	return names
}
