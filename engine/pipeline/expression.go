package pipeline

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/leat-run/leat/runtime"
)

// Expression is a compiled CEL predicate or key over payload, meta, constants and
// parameters, with a cost limit. It is immutable and safe for concurrent use.
//
// Numbers of a JSON payload are CEL ints where they are written without fraction and
// exponent and fit 64 bits (uints above the signed range), else doubles; the two compare and
// calculate with each other (the int becomes a double). A whole number of more than 64
// bits is an evaluation error, never a rounded value. A payload that is no JSON is CEL bytes.
type Expression struct {
	// Text is the source as written.
	Text string
	eval func(*View) (any, error)
}

// ErrNotBool and ErrNoKey say that an expression's value is of a type that has no use where
// it stands.
var (
	ErrNotBool = errors.New("pipeline: a condition must be true or false")
	ErrNoKey   = errors.New("pipeline: a key must be a text, a number, a bool or bytes")
)

// Stub is an expression whose value comes from Go, for tests of what evaluates expressions.
func Stub(value func(runtime.Message) (any, error)) *Expression {
	return &Expression{eval: func(v *View) (any, error) { return value(v.Message) }}
}

// Match evaluates a condition. An error (a missing field, another type, the cost limit)
// comes with false: the message does not match.
func (e *Expression) Match(v *View) (bool, error) {
	value, err := e.eval(v)
	if err != nil {
		return false, err
	}
	switch value := value.(type) {
	case types.Bool:
		return bool(value), nil
	case bool:
		return value, nil
	default:
		return false, fmt.Errorf("%w, this one is %s", ErrNotBool, typeName(value))
	}
}

// Key evaluates a key. Equal numbers give equal keys, however they were written.
func (e *Expression) Key(v *View) (string, error) {
	value, err := e.eval(v)
	if err != nil {
		return "", err
	}
	switch value := value.(type) {
	case types.String:
		return string(value), nil
	case string:
		return value, nil
	case types.Int:
		return strconv.FormatInt(int64(value), 10), nil
	case types.Uint:
		return strconv.FormatUint(uint64(value), 10), nil
	case types.Double:
		return doubleKey(float64(value))
	case types.Bool:
		return strconv.FormatBool(bool(value)), nil
	case types.Bytes:
		return string(value), nil
	default:
		return "", fmt.Errorf("%w, this one is %s", ErrNoKey, typeName(value))
	}
}

// doubleKey writes whole doubles as ints, so that 7 and 7.0 are one key.
func doubleKey(f float64) (string, error) {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return "", fmt.Errorf("%w, this one is no finite number", ErrNoKey)
	case f == math.Trunc(f) && f >= -1<<63 && f < 1<<63:
		return strconv.FormatInt(int64(f), 10), nil
	case f == math.Trunc(f) && f > 0 && f < 1<<64:
		return strconv.FormatUint(uint64(f), 10), nil
	default:
		return strconv.FormatFloat(f, 'g', -1, 64), nil
	}
}

func typeName(value any) string {
	if v, ok := value.(ref.Val); ok {
		return v.Type().TypeName()
	}
	return fmt.Sprintf("%T", value)
}

// evaluator binds a compiled program to views.
func evaluator(program cel.Program) func(*View) (any, error) {
	return func(v *View) (any, error) {
		value, _, err := program.Eval(v)
		if err != nil {
			return nil, fmt.Errorf("pipeline: evaluate: %w", err)
		}
		return value, nil
	}
}
