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

// moveParams moves rest patterns out of a parameter list, and with the first of them what
// comes behind it and may name what it declares; it returns what stands first in the body
// instead.
func moveParams(list *ast.ParameterList) (declared []ast.Statement) {
	if list == nil {
		return nil
	}
	for i, b := range list.List {
		name, at := hostParam+string(rune('0'+i)), b.Target.Idx0()
		_, plain := b.Target.(*ast.Identifier)
		if p := restPattern(b.Target); p != nil {
			declared = append(declared, declare(p, host(hostSource, at, identifier(name, at)), at))
		} else if declared != nil && (!plain || b.Initializer != nil) {
			declared = append(declared, declare(b.Target, orDefault(name, b.Initializer, at), at))
			b.Initializer = nil
		} else {
			continue
		}
		b.Target = identifier(name, at)
	}
	if list.Rest != nil {
		if p := restPattern(list.Rest); p != nil {
			at := p.Idx0()
			list.Rest = identifier(hostParam, at)
			declared = append(declared, declare(p, host(hostSource, at, identifier(hostParam, at)), at))
		}
	}
	return declared
}

// declare is: let target = value.
func declare(target ast.BindingTarget, value ast.Expression, at file.Idx) ast.Statement {
	return &ast.LexicalDeclaration{Idx: at, Token: token.LET, List: []*ast.Binding{{Target: target, Initializer: value}}}
}

// orDefault is: name === void 0 ? value : name.
func orDefault(name string, value ast.Expression, at file.Idx) ast.Expression {
	if value == nil {
		return identifier(name, at)
	}
	return &ast.ConditionalExpression{
		Test: &ast.BinaryExpression{
			Operator: token.STRICT_EQUAL, Left: identifier(name, at),
			Right: &ast.UnaryExpression{Operator: token.VOID, Idx: at, Operand: number(0, at)},
		},
		Consequent: value, Alternate: identifier(name, at),
	}
}

// moveHead moves a rest pattern out of a for-of head.
func (r *rewriter) moveHead(n *ast.ForOfStatement) {
	switch into := n.Into.(type) {
	case *ast.ForDeclaration:
		if p := restPattern(into.Target); p != nil {
			at := p.Idx0()
			into.Target = identifier(hostParam, at)
			n.Body = &ast.BlockStatement{LeftBrace: at, List: []ast.Statement{declare(p, host(hostSource, at, identifier(hostParam, at)), at), n.Body}, RightBrace: at}
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
