package script

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

// regexp checks a literal and ties the object that it makes to its pattern.
func (r *rewriter) regexp(n *ast.RegExpLiteral) ast.Expression {
	p, fault := newPattern(n.Pattern, n.Flags)
	if fault != nil {
		r.refuse(n.Idx+1+file.Idx(fault.offset), fault.message, fault.hint)
		return n
	}
	r.regexps = append(r.regexps, p)
	return host(hostRegexp, n.Idx, number(len(r.regexps)-1, n.Idx), n)
}

// newRegexp checks RegExp("...", "...") where the pattern stands in the source.
func (r *rewriter) newRegexp(callee ast.Expression, arguments []ast.Expression) {
	name, ok := callee.(*ast.Identifier)
	if !ok || name.Name != "RegExp" || len(arguments) == 0 {
		return
	}
	source, ok := arguments[0].(*ast.StringLiteral)
	if !ok {
		return
	}
	flags := ""
	if len(arguments) > 1 {
		literal, ok := arguments[1].(*ast.StringLiteral)
		if !ok {
			return
		}
		flags = literal.Value.String()
	}
	if _, fault := newPattern(source.Value.String(), flags); fault != nil {
		r.refuse(source.Idx, fault.message, fault.hint)
	}
}

// spreadArguments puts a check before each list that is spread into a call.
func (r *rewriter) spreadArguments(arguments []ast.Expression) {
	for _, argument := range arguments {
		if spread, ok := argument.(*ast.SpreadElement); ok {
			spread.Expression = host(hostArgs, spread.Expression.Idx0(), spread.Expression)
			r.copied[spread] = true
		}
	}
}
