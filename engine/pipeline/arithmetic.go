package pipeline

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/env"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/stdlib"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// arithmetic is CEL's standard library with + - * / widened: an int or uint beside a
// double becomes a double. JSON does not tell 100 from 100.0, so that payload.total * 1.2
// must not depend on how a producer happened to write a number.
func arithmetic() cel.EnvOption {
	widened := []struct {
		operator, name string
		apply          func(lhs, rhs ref.Val) ref.Val
	}{
		{operators.Add, "add", func(l, r ref.Val) ref.Val { return l.(traits.Adder).Add(r) }},
		{operators.Subtract, "subtract", func(l, r ref.Val) ref.Val { return l.(traits.Subtractor).Subtract(r) }},
		{operators.Multiply, "multiply", func(l, r ref.Val) ref.Val { return l.(traits.Multiplier).Multiply(r) }},
		{operators.Divide, "divide", func(l, r ref.Val) ref.Val { return l.(traits.Divider).Divide(r) }},
	}
	subset := &env.LibrarySubset{}
	for _, w := range widened {
		subset.ExcludeFunctions = append(subset.ExcludeFunctions, env.NewFunction(w.operator))
	}
	options := []cel.EnvOption{cel.StdLib(cel.StdLibSubset(subset))}
	for _, w := range widened {
		options = append(options, widen(w.operator, w.name, w.apply))
	}
	return func(e *cel.Env) (*cel.Env, error) {
		var err error
		for _, o := range options {
			if e, err = o(e); err != nil {
				return nil, err
			}
		}
		return e, nil
	}
}

// widen declares one operator: the standard overloads and the mixed ones.
func widen(operator, name string, apply func(lhs, rhs ref.Val) ref.Val) cel.EnvOption {
	var overloads []cel.FunctionOpt
	for _, f := range stdlib.Functions() {
		if f.Name() != operator {
			continue
		}
		for _, o := range f.OverloadDecls() {
			overloads = append(overloads, cel.Overload(o.ID(), o.ArgTypes(), o.ResultType()))
		}
	}
	for _, t := range []*cel.Type{cel.IntType, cel.UintType} {
		overloads = append(overloads,
			cel.Overload("leat_"+name+"_"+t.String()+"_double", []*cel.Type{t, cel.DoubleType}, cel.DoubleType),
			cel.Overload("leat_"+name+"_double_"+t.String(), []*cel.Type{cel.DoubleType, t}, cel.DoubleType))
	}
	binding := func(lhs, rhs ref.Val) ref.Val {
		lhs, rhs = sameNumbers(lhs, rhs)
		if !lhs.Type().HasTrait(operatorTraits[operator]) {
			return types.MaybeNoSuchOverloadErr(lhs)
		}
		return apply(lhs, rhs)
	}
	return cel.Function(operator, append(overloads, cel.SingletonBinaryBinding(binding))...)
}

var operatorTraits = map[string]int{
	operators.Add: traits.AdderType, operators.Subtract: traits.SubtractorType,
	operators.Multiply: traits.MultiplierType, operators.Divide: traits.DividerType,
}

// sameNumbers turns an int or uint beside a double into a double.
func sameNumbers(lhs, rhs ref.Val) (ref.Val, ref.Val) {
	_, left := lhs.(types.Double)
	_, right := rhs.(types.Double)
	switch {
	case left == right:
		return lhs, rhs
	case left:
		return lhs, asDouble(rhs)
	default:
		return asDouble(lhs), rhs
	}
}

func asDouble(v ref.Val) ref.Val {
	switch v := v.(type) {
	case types.Int:
		return types.Double(v)
	case types.Uint:
		return types.Double(v)
	default:
		return v
	}
}
