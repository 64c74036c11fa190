package script

import (
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// Where a node allows BigInt, the operators that make long ones are checked: * and << after
// the fact, since two numbers below the cap make one below twice it, ** instead of it.

func (r *rewriter) bigint() bool { return slices.Contains(r.allow, "bigint") }

func (r *rewriter) bigBinary(n *ast.BinaryExpression) ast.Expression {
	switch n.Operator {
	case token.MULTIPLY:
		return host(hostSize, n.Idx0(), n)
	case token.EXPONENT:
		return host(hostPower, n.Idx0(), n.Left, n.Right)
	case token.SHIFT_LEFT, token.SHIFT_RIGHT:
		n.Right = host(hostShift, n.Right.Idx0(), n.Right)
		return host(hostSize, n.Idx0(), n)
	case token.LESS, token.GREATER, token.LESS_OR_EQUAL, token.GREATER_OR_EQUAL, token.EQUAL, token.NOT_EQUAL:
		n.Left, n.Right = digits(n.Left), digits(n.Right)
	}
	return n
}

// digits checks an operand of a comparison: a text is read as a number when the other is
// a BigInt.
func digits(e ast.Expression) ast.Expression {
	switch e.(type) {
	case *ast.NumberLiteral, *ast.StringLiteral, *ast.NullLiteral, *ast.BooleanLiteral:
		return e
	}
	return host(hostDigits, e.Idx0(), e)
}

func (r *rewriter) bigAssign(n *ast.AssignExpression) ast.Expression {
	switch n.Operator {
	case token.MULTIPLY:
		return host(hostSize, n.Idx0(), n)
	case token.EXPONENT:
		r.refuse(n.Idx0(), "**= is not offered where BigInt is allowed", "write a = a ** b")
	case token.SHIFT_LEFT, token.SHIFT_RIGHT:
		n.Right = host(hostShift, n.Right.Idx0(), n.Right)
		return host(hostSize, n.Idx0(), n)
	}
	return n
}
