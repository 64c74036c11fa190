package script

import (
	"math/big"
	"reflect"

	"github.com/dop251/goja"
)

// What a node opts in to with allow: [bigint, typed_arrays] has caps of its own.

// maxBits bounds a BigInt: one multiplication of two that long takes milliseconds.
const maxBits = 1 << 20

// bigOf returns the number behind a BigInt, or nil.
func bigOf(v goja.Value) *big.Int {
	if v == nil || !goja.IsBigInt(v) {
		return nil
	}
	n, _ := v.Export().(*big.Int)
	return n
}

// checkBits ends the guest before, or just after, a BigInt grows beyond the cap.
func (in *instance) checkBits(bits int64) {
	if bits > maxBits {
		in.stop(&limit{kind: "memory", message: "the script built a BigInt beyond its cap", hint: "calculate with smaller numbers, or modulo one",
			measured: bits, limit: maxBits})
	}
	in.spend(1 + bits>>10 + (bits>>11)*(bits>>11))
}

// payBits is for asIntN and asUintN, which make as many bits as they are told.
func payBits(in *instance, call *goja.FunctionCall) { in.checkBits(in.integerArgument(call, 0)) }

// payDigits is for the text of a BigInt, which costs more than its length.
func payDigits(in *instance, call *goja.FunctionCall) {
	if n := bigOf(call.This); n != nil {
		bits := int64(n.BitLen())
		in.checkBits(bits)
		in.spend((bits >> 10) * (bits >> 10))
	}
}

// bigintOf is called by the guarded BigInt constructor.
func (in *instance) bigintOf(call goja.FunctionCall) goja.Value {
	v := call.Argument(0)
	if o, ok := v.(*goja.Object); ok {
		v = in.primitive(o)
	}
	if s, ok := v.(goja.String); ok {
		in.checkBits(int64(s.Length()) * 4)
	}
	return v
}

// primitive converts an object the way BigInt and the operators do.
func (in *instance) primitive(o *goja.Object) goja.Value {
	for _, name := range []string{"valueOf", "toString"} {
		if f, ok := goja.AssertFunction(o.Get(name)); ok {
			v, err := f(o)
			if err != nil {
				panic(err)
			}
			if _, still := v.(*goja.Object); !still {
				return v
			}
		}
	}
	panic(in.vm.NewTypeError("an object without a primitive value"))
}

// power is the operator ** where BigInt is allowed.
func (in *instance) power(call goja.FunctionCall) goja.Value {
	base, exponent := bigOf(call.Arguments[0]), bigOf(call.Arguments[1])
	if base == nil || exponent == nil {
		if goja.IsBigInt(call.Arguments[0]) || goja.IsBigInt(call.Arguments[1]) {
			panic(in.vm.NewTypeError("a BigInt and another type cannot be mixed in **"))
		}
		return in.mathPow(goja.FunctionCall{Arguments: call.Arguments})
	}
	if exponent.Sign() < 0 {
		panic(in.vm.NewTypeError("the exponent of a BigInt is negative"))
	}
	if base.BitLen() > 1 {
		if !exponent.IsInt64() {
			in.checkBits(maxBits + 1)
		}
		in.checkBits(min(exponent.Int64(), maxBits+1) * int64(base.BitLen()))
	}
	if base.BitLen() <= 1 && exponent.Sign() > 0 { // 0, 1 and -1 to a power of any size
		exponent = new(big.Int).Add(new(big.Int).And(exponent, big.NewInt(1)), big.NewInt(2))
	}
	return in.vm.ToValue(new(big.Int).Exp(base, exponent, nil))
}

// shift checks the right side of << and >>.
func (in *instance) shift(call goja.FunctionCall) goja.Value {
	if n := bigOf(call.Arguments[0]); n != nil {
		if !n.IsInt64() {
			in.checkBits(maxBits + 1)
		}
		in.checkBits(max(n.Int64(), -n.Int64()))
	}
	return call.Arguments[0]
}

// maxCompared is the longest text that may be compared with < or == where BigInt is allowed.
const maxCompared = 1 << 18

// compared checks a text that may be read as a BigInt.
func (in *instance) compared(call goja.FunctionCall) goja.Value {
	if s, ok := call.Arguments[0].(goja.String); ok && s.Length() > maxCompared {
		in.stop(tooLong(int64(s.Length()), maxCompared))
	}
	return call.Arguments[0]
}

// typedLength returns the length of a typed array, -1 for any other object. It runs no
// guest code.
func typedLength(o *goja.Object) int64 {
	t := o.ExportType()
	if t == nil || t.Kind() != reflect.Slice || isArray(o) {
		return -1
	}
	switch t.Elem().Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return int64(reflect.ValueOf(o.Export()).Len())
	}
	return -1
}

// payBuffer is for a copy of an ArrayBuffer.
func payBuffer(in *instance, call *goja.FunctionCall) {
	if o, ok := call.This.(*goja.Object); ok {
		if buffer, ok := o.Export().(goja.ArrayBuffer); ok {
			in.allocate(int64(len(buffer.Bytes())))
		}
	}
}

func payTypedJoin(in *instance, call *goja.FunctionCall) {
	n, _ := in.elements(call.This)
	separator := int64(1)
	if len(call.Arguments) > 0 && !goja.IsUndefined(call.Arguments[0]) {
		separator = int64(in.textArgument(call, 0).Length())
	}
	in.stringOfLength(n * (separator + 1))
	in.spend(1 + 2*n)
}

// bufferOf is called by the guarded constructors of typed arrays and buffers with their
// first argument and the bytes of one element; it returns what may be passed on.
func (in *instance) bufferOf(call goja.FunctionCall) goja.Value {
	v, width := call.Argument(0), call.Argument(1).ToInteger()
	o, ok := v.(*goja.Object)
	if !ok {
		n := v.ToInteger()
		in.bound(n)
		in.allocate(n * width)
		return v
	}
	if _, isBuffer := o.Export().(goja.ArrayBuffer); isBuffer {
		return v
	}
	if typedLength(o) < 0 {
		v = in.iterated(v)
	}
	n, _ := in.elements(v)
	in.bound(n)
	in.allocate(n * width)
	in.spend(2 * n)
	return v
}
