package pipeline

import (
	"fmt"
	"maps"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"

	"github.com/leat-run/leat/engine/pipeline/document"
)

// expressionKind is what an expression's value is for.
type expressionKind string

const (
	predicateExpression expressionKind = "true or false"
	keyExpression       expressionKind = "a text, number, bool or bytes"
)

// Bounds of an expression.
const (
	// costLimit ends an evaluation that loops: about the work of a pass over 1 MiB of
	// elements, some 20 ms.
	costLimit = 1 << 20
	// maxExpression is how many characters an expression may have.
	maxExpression = 8 << 10
	// maxPattern bounds the compiled size of a regular expression.
	maxPattern = 10_000
)

// compiler compiles the expressions of one document.
type compiler struct {
	env                   *cel.Env
	constants, parameters map[string]any
}

// expressionFault is one thing that is wrong with an expression, at a place of its text.
type expressionFault struct {
	line, column  int // from 1
	code          string
	message, hint string
}

// newCompiler knows the variables of a document, and further objects by name.
func newCompiler(constants, parameters map[string]any, objects ...string) *compiler {
	options := []cel.EnvOption{
		arithmetic(),
		cel.Variable("payload", cel.DynType),
		cel.Variable("meta", cel.MapType(cel.StringType, cel.StringType)),
		cel.Variable("constants", cel.MapType(cel.StringType, cel.DynType)),
		cel.Variable("parameters", cel.MapType(cel.StringType, cel.DynType)),
		cel.CrossTypeNumericComparisons(true),
		cel.DefaultUTCTimeZone(true),
		cel.ParserExpressionSizeLimit(maxExpression),
		cel.RegexProgramSizeLimit(maxPattern),
		cel.ASTValidators(cel.ValidateRegexLiterals(), cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals()),
	}
	for _, name := range objects {
		options = append(options, cel.Variable(name, cel.MapType(cel.StringType, cel.DynType)))
	}
	env, err := cel.NewCustomEnv(options...)
	if err != nil {
		panic("pipeline: the CEL environment is wrong: " + err.Error()) // it depends on nothing from outside
	}
	return &compiler{env: env, constants: constants, parameters: parameters}
}

// compile type-checks and plans text. Either the expression or the faults are empty.
func (c *compiler) compile(text string, want expressionKind) (*Expression, []expressionFault) {
	checked, issues := c.env.Compile(text)
	if issues.Err() != nil {
		return nil, c.faults(issues)
	}
	bad := c.unknownNames(checked)
	if !fits(checked.OutputType(), want) {
		bad = append(bad, expressionFault{1, 1, "expression-type",
			fmt.Sprintf("the value is of type %s, wanted is %s", checked.OutputType(), want), typeHint(want)})
	}
	if len(bad) > 0 {
		return nil, bad
	}
	program, err := c.env.Program(checked, c.programOptions(checked)...)
	if err != nil {
		return nil, []expressionFault{{1, 1, "expression", err.Error(), ""}}
	}
	return &Expression{Text: text, eval: evaluator(program)}, nil
}

// programOptions limit the cost of what loops. Without a loop an expression's work is
// bounded by its own text and the payload's bytes, and the meter would only slow it down.
func (c *compiler) programOptions(checked *cel.Ast) []cel.ProgramOption {
	options := []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize)}
	if len(find(checked, ast.ComprehensionKind)) > 0 {
		options = append(options, cel.CostLimit(costLimit))
	}
	return options
}

func find(checked *cel.Ast, kind ast.ExprKind) []ast.NavigableExpr {
	return ast.MatchDescendants(ast.NavigateAST(checked.NativeRep()), ast.KindMatcher(kind))
}

func fits(got *cel.Type, want expressionKind) bool {
	allowed := []*cel.Type{cel.DynType, cel.BoolType}
	if want == keyExpression {
		allowed = append(allowed, cel.StringType, cel.IntType, cel.UintType, cel.DoubleType, cel.BytesType)
	}
	for _, t := range allowed {
		if got.IsExactType(t) {
			return true
		}
	}
	return false
}

func typeHint(want expressionKind) string {
	if want == keyExpression {
		return "name one field, such as payload.customer"
	}
	return "compare it with something: payload.total > 100"
}

func (c *compiler) faults(issues *cel.Issues) []expressionFault {
	var out []expressionFault
	for _, e := range issues.Errors() {
		message := strings.TrimSpace(e.Message)
		out = append(out, expressionFault{
			line: max(e.Location.Line(), 1), column: max(e.Location.Column(), 0) + 1,
			code: "expression", message: message, hint: expressionHint(message),
		})
	}
	return out
}

func expressionHint(message string) string {
	name, undeclared := strings.CutPrefix(message, "undeclared reference to '")
	if name, _, _ = strings.Cut(name, "'"); undeclared {
		if strings.Contains(message, "did you mean") {
			return ""
		}
		return fmt.Sprintf("there are payload, meta, constants and parameters: payload.%s?", name)
	}
	if strings.Contains(message, "no matching overload for '_=='") || strings.Contains(message, "found no matching overload") {
		return "the two sides are of types that do not go together"
	}
	if strings.Contains(message, "token recognition error at: '='") || strings.Contains(message, "extraneous input '='") {
		return "CEL compares with =="
	}
	return "see https://cel.dev for the language"
}

// unknownNames reports constants.x and parameters.x that the document does not have.
func (c *compiler) unknownNames(checked *cel.Ast) []expressionFault {
	var out []expressionFault
	groups := map[string]map[string]any{"constants": c.constants, "parameters": c.parameters}
	for _, e := range find(checked, ast.SelectKind) {
		selected := e.AsSelect()
		if selected.Operand().Kind() != ast.IdentKind || selected.IsTestOnly() {
			continue
		}
		group, name := selected.Operand().AsIdent(), selected.FieldName()
		values, isGroup := groups[group]
		if _, ok := values[name]; !isGroup || ok {
			continue
		}
		hint := document.DidYouMean(name, maps.Keys(values))
		if hint == "" {
			hint = fmt.Sprintf("declare it under `%s:`", group)
		}
		at := checked.NativeRep().SourceInfo().GetStartLocation(selected.Operand().ID())
		out = append(out, expressionFault{at.Line(), at.Column() + 1, "unknown-reference", fmt.Sprintf("there is no %s.%s", group, name), hint})
	}
	return out
}
