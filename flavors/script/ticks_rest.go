package script

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
)

// hostParam names the parameter or loop variable that stands in for a pattern.
const hostParam = "\x00p"

// A rest element iterates its source natively. Where the source is an expression it is
// checked there; in a parameter or a loop head the pattern moves into the body.

// restPattern returns e as an array pattern with a rest element, or nil.
func restPattern(e ast.Node) *ast.ArrayPattern {
	if p, ok := e.(*ast.ArrayPattern); ok && p.Rest != nil {
		return p
	}
	return nil
}

// nestedRest refuses a rest element inside another pattern, whose source is nowhere
// an expression.
func (r *rewriter) nestedRest(elements ...ast.Expression) {
	for _, e := range elements {
		if a, ok := e.(*ast.AssignExpression); ok {
			e = a.Left
		}
		if e == nil {
			continue
		}
		if p := restPattern(e); p != nil {
			r.refuse(p.Idx0(), "a rest element inside another pattern is not offered", "destructure in two steps")
		}
	}
}

func (r *rewriter) objectPattern(p *ast.ObjectPattern) {
	for _, property := range p.Properties {
		if keyed, ok := property.(*ast.PropertyKeyed); ok {
			r.nestedRest(keyed.Value)
		}
	}
}

// moveParams moves rest patterns out of a parameter list; it returns what stands first
// in the body instead.
func moveParams(list *ast.ParameterList) (declared []ast.Statement) {
	if list == nil {
		return nil
	}
	for i, b := range list.List {
		if p := restPattern(b.Target); p != nil {
			name := hostParam + string(rune('0'+i))
			at := p.Idx0()
			b.Target = identifier(name, at)
			declared = append(declared, declare(p, name, at))
		}
	}
	if list.Rest != nil {
		if p := restPattern(list.Rest); p != nil {
			at := p.Idx0()
			list.Rest = identifier(hostParam, at)
			declared = append(declared, declare(p, hostParam, at))
		}
	}
	return declared
}

// declare is: let pattern = source(name).
func declare(p *ast.ArrayPattern, name string, at file.Idx) ast.Statement {
	return &ast.LexicalDeclaration{Idx: at, Token: token.LET, List: []*ast.Binding{{
		Target: p, Initializer: host(hostSource, at, identifier(name, at)),
	}}}
}

// moveHead moves a rest pattern out of a for-of head.
func (r *rewriter) moveHead(n *ast.ForOfStatement) {
	switch into := n.Into.(type) {
	case *ast.ForDeclaration:
		if p := restPattern(into.Target); p != nil {
			at := p.Idx0()
			into.Target = identifier(hostParam, at)
			n.Body = &ast.BlockStatement{LeftBrace: at, List: []ast.Statement{declare(p, hostParam, at), n.Body}, RightBrace: at}
		}
	case *ast.ForIntoVar:
		r.nestedRest(into.Binding.Target)
	case *ast.ForIntoExpression:
		r.nestedRest(into.Expression)
	}
}

// prepend puts statements first in a function's body, which becomes a block.
func prepend(n *ast.ArrowFunctionLiteral, declared []ast.Statement) {
	if len(declared) == 0 {
		return
	}
	switch b := n.Body.(type) {
	case *ast.BlockStatement:
		b.List = append(declared, b.List...)
	case *ast.ExpressionBody:
		at := b.Expression.Idx0()
		n.Body = &ast.BlockStatement{LeftBrace: at, RightBrace: at, List: append(declared, &ast.ReturnStatement{Return: at, Argument: b.Expression})}
	}
}
