package script

import (
	"math/big"
	"reflect"
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// The host functions that rewritten code calls. No source can spell these names.
const (
	hostTick   = "\x00t" // [weight]: fuel of a function body or a loop round
	hostSize   = "\x00s" // (value): a string just built, checked against its cap
	hostPart   = "\x00k" // (value, parts): one part of a template, as a string
	hostSource = "\x00i" // (value): what is about to be spread by a native
	hostCopy   = "\x00o" // (value): what is about to be spread into an object
	hostArgs   = "\x00a" // (value): what is about to be spread into arguments
	hostPower  = "\x00w" // (base, exponent): ** where BigInt is allowed
	hostShift  = "\x00h" // (places): the right side of a shift where BigInt is allowed
	hostDigits = "\x00d" // (value): compared with what can be a BigInt
	hostRegexp = "\x00r" // (n, literal): a RegExp object made of the n-th literal
)

var hostNames = []string{hostTick, hostSize, hostPart, hostSource, hostRegexp, hostCopy, hostArgs, hostPower, hostShift, hostDigits}

const (
	maxAST      = 1000 // nesting of a syntax tree
	catchWeight = 200  // a caught engine error carries a stack
	awaitWeight = 50   // a promise, its reactions and a job
	classWeight = 50   // a class expression allocates a lot for one node
)

// rewriter adds the ticks. It walks the tree by reflection, so that no kind of node
// can be forgotten; what it treats by type is in node.
type rewriter struct {
	allow   []string
	refused *refused
	depth   int
	params  bool                        // inside a parameter list: initialisers run without a body
	weight  int                         // nodes of the body at hand
	copied  map[*ast.SpreadElement]bool // spread into an object or a call, checked already
	regexps []*pattern                  // of the literals, in order
}

func newRewriter(allow []string) *rewriter {
	return &rewriter{allow: allow, copied: make(map[*ast.SpreadElement]bool)}
}

func (r *rewriter) program(p *ast.Program) {
	for i := range p.Body {
		r.walk(reflect.ValueOf(&p.Body[i]).Elem())
	}
}

func (r *rewriter) refuse(at file.Idx, message, hint string) {
	if r.refused == nil {
		r.refused = &refused{at, message, hint}
	}
}

func (r *rewriter) walk(v reflect.Value) {
	if r.refused != nil {
		return
	}
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			r.walk(v.Elem())
			if e, ok := v.Interface().(ast.Expression); ok && v.CanSet() {
				if changed := r.replace(e); changed != e {
					v.Set(reflect.ValueOf(changed))
				}
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			r.node(v)
		}
	case reflect.Slice:
		for i := range v.Len() {
			r.walk(v.Index(i))
		}
	case reflect.Struct:
		r.fields(v)
	}
}

// node walks one node, counting it, and adds its tick.
func (r *rewriter) node(v reflect.Value) {
	if r.depth++; r.depth > maxAST {
		if n, ok := v.Interface().(ast.Node); ok {
			r.refuse(n.Idx0(), "the code nests too deep", "split the expression")
		}
		return
	}
	r.weight++
	switch n := v.Interface().(type) {
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.ClassStaticBlock,
		*ast.ForStatement, *ast.ForInStatement, *ast.ForOfStatement, *ast.WhileStatement, *ast.DoWhileStatement:
		r.body(v)
	case *ast.ParameterList:
		outer := r.params
		r.params = true
		r.fields(v.Elem())
		r.params = outer
	case *ast.CatchStatement:
		r.weight += catchWeight
		r.fields(v.Elem())
	case *ast.AwaitExpression:
		r.weight += awaitWeight
		r.fields(v.Elem())
	case *ast.ClassLiteral:
		r.weight += classWeight
		r.fields(v.Elem())
	case *ast.YieldExpression:
		if n.Delegate {
			r.refuse(n.Yield, "yield* is not offered", "loop over the inner generator and yield each value")
		}
		r.fields(v.Elem())
	case *ast.CallExpression:
		r.spreadArguments(n.ArgumentList)
		r.fields(v.Elem())
	case *ast.NewExpression:
		r.spreadArguments(n.ArgumentList)
		r.fields(v.Elem())
	case *ast.ObjectLiteral:
		for _, property := range n.Value {
			if spread, ok := property.(*ast.SpreadElement); ok {
				spread.Expression = host(hostCopy, spread.Expression.Idx0(), spread.Expression)
				r.copied[spread] = true
			}
		}
		r.fields(v.Elem())
	case *ast.NumberLiteral:
		if _, isBig := n.Value.(*big.Int); isBig && !r.bigint() {
			r.refuse(n.Idx, "BigInt is not offered", "use numbers or strings, or set allow: [bigint] on the node")
		}
	default:
		r.fields(v.Elem())
	}
	r.depth--
}

// fields walks a node's parts. DeclarationList only repeats what the body has.
func (r *rewriter) fields(v reflect.Value) {
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() && f.Name != "DeclarationList" {
			r.walk(v.Field(i))
		}
	}
	if r.refused == nil && v.CanAddr() {
		r.initialisers(v.Addr().Interface())
	}
}

// body walks a function or a loop with a weight of its own and puts the tick in.
func (r *rewriter) body(v reflect.Value) {
	outer, params := r.weight, r.params
	r.weight, r.params = 1, false
	r.fields(v.Elem())
	weight := r.weight
	r.weight, r.params = outer, params
	switch n := v.Interface().(type) {
	case *ast.FunctionLiteral:
		n.Body.List = append(moveParams(n.ParameterList), n.Body.List...)
		tickBlock(n.Body, weight)
	case *ast.ArrowFunctionLiteral:
		prepend(n, moveParams(n.ParameterList))
		switch b := n.Body.(type) {
		case *ast.BlockStatement:
			tickBlock(b, weight)
		case *ast.ExpressionBody:
			b.Expression = ticked(b.Expression, weight)
		}
	case *ast.ClassStaticBlock:
		tickBlock(n.Block, weight)
	case *ast.ForStatement:
		n.Body = tickedStatement(n.Body, weight)
	case *ast.ForInStatement:
		n.Body = tickedStatement(n.Body, weight)
	case *ast.ForOfStatement:
		r.moveHead(n)
		n.Body = tickedStatement(n.Body, weight)
	case *ast.WhileStatement:
		n.Body = tickedStatement(n.Body, weight)
	case *ast.DoWhileStatement:
		n.Body = tickedStatement(n.Body, weight)
	}
}

// initialisers ticks expressions that run without any body: class fields, and defaults
// of parameters.
func (r *rewriter) initialisers(node any) {
	switch n := node.(type) {
	case *ast.FieldDefinition:
		n.Initializer = tickedInitialiser(n.Initializer)
	case *ast.ArrayPattern:
		r.nestedRest(n.Elements...)
		r.nestedRest(n.Rest)
	case *ast.ObjectPattern:
		r.objectPattern(n)
	case *ast.Binding:
		if restPattern(n.Target) != nil && n.Initializer != nil && !r.params {
			n.Initializer = host(hostSource, n.Idx0(), n.Initializer)
		}
		if r.params {
			n.Initializer = tickedInitialiser(n.Initializer)
		}
	case *ast.PropertyShort:
		if r.params {
			n.Initializer = tickedInitialiser(n.Initializer)
		}
	case *ast.AssignExpression:
		if restPattern(n.Left) != nil {
			n.Right = host(hostSource, n.Idx0(), n.Right)
		}
		if r.params {
			n.Right = tickedInitialiser(n.Right)
		}
	}
}

func tickedInitialiser(e ast.Expression) ast.Expression {
	switch e.(type) {
	case nil, *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.ClassLiteral, // keep their names
		*ast.NumberLiteral, *ast.StringLiteral, *ast.BooleanLiteral, *ast.NullLiteral:
		return e
	}
	return ticked(e, 10)
}

// replace checks strings where they grow and sources where a native iterates.
func (r *rewriter) replace(e ast.Expression) ast.Expression {
	switch n := e.(type) {
	case *ast.BinaryExpression:
		if n.Operator == token.PLUS && grows(n.Left) && grows(n.Right) {
			return host(hostSize, n.Idx0(), n)
		}
		if r.bigint() {
			return r.bigBinary(n)
		}
	case *ast.AssignExpression:
		if n.Operator == token.PLUS && grows(n.Right) {
			return host(hostSize, n.Idx0(), n)
		}
		if r.bigint() {
			return r.bigAssign(n)
		}
	case *ast.TemplateLiteral:
		if n.Tag == nil {
			parts := number(len(n.Expressions), n.OpenQuote)
			for i, part := range n.Expressions {
				n.Expressions[i] = host(hostPart, part.Idx0(), part, parts)
			}
		}
	case *ast.RegExpLiteral:
		return r.regexp(n)
	case *ast.NewExpression:
		r.newRegexp(n.Callee, n.ArgumentList)
	case *ast.CallExpression:
		r.newRegexp(n.Callee, n.ArgumentList)
	case *ast.SpreadElement:
		if !r.copied[n] {
			n.Expression = host(hostSource, n.Expression.Idx0(), n.Expression)
		}
	}
	return e
}

// grows says whether an operand of + can be a long string.
func grows(e ast.Expression) bool {
	switch n := e.(type) {
	case *ast.NumberLiteral, *ast.StringLiteral, *ast.BooleanLiteral, *ast.NullLiteral:
		return false
	case *ast.UnaryExpression:
		return false
	case *ast.BinaryExpression:
		return n.Operator == token.PLUS || n.Operator == token.LOGICAL_AND || n.Operator == token.LOGICAL_OR || n.Operator == token.COALESCE
	}
	return true
}

func identifier(name string, at file.Idx) *ast.Identifier {
	return &ast.Identifier{Name: unistring.String(name), Idx: at}
}

func number(n int, at file.Idx) *ast.NumberLiteral {
	return &ast.NumberLiteral{Idx: at, Literal: "0", Value: int64(n)}
}

func host(name string, at file.Idx, args ...ast.Expression) *ast.CallExpression {
	return &ast.CallExpression{Callee: identifier(name, at), LeftParenthesis: at, ArgumentList: args, RightParenthesis: at}
}

func ticked(e ast.Expression, weight int) ast.Expression {
	at := e.Idx0()
	return &ast.SequenceExpression{Sequence: []ast.Expression{tickExpression(at, weight), e}}
}

// tickExpression reads an element of the host's array, whose index is the weight: the
// cheapest way out of the bytecode into Go, half of a call.
func tickExpression(at file.Idx, weight int) ast.Expression {
	return &ast.BracketExpression{Left: identifier(hostTick, at), Member: number(weight, at), LeftBracket: at, RightBracket: at}
}

func tickStatement(at file.Idx, weight int) ast.Statement {
	return &ast.ExpressionStatement{Expression: tickExpression(at, weight)}
}

// tickBlock puts the tick behind the directives of a body.
func tickBlock(b *ast.BlockStatement, weight int) {
	at := 0
	for at < len(b.List) && isDirective(b.List[at]) {
		at++
	}
	b.List = slices.Insert(b.List, at, tickStatement(b.LeftBrace, weight))
}

func isDirective(s ast.Statement) bool {
	e, ok := s.(*ast.ExpressionStatement)
	if !ok {
		return false
	}
	_, ok = e.Expression.(*ast.StringLiteral)
	return ok
}

func tickedStatement(s ast.Statement, weight int) ast.Statement {
	if b, ok := s.(*ast.BlockStatement); ok {
		tickBlock(b, weight)
		return b
	}
	at := s.Idx0()
	return &ast.BlockStatement{LeftBrace: at, List: []ast.Statement{tickStatement(at, weight), s}, RightBrace: at}
}
