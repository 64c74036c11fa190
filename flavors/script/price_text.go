package script

import (
	"strings"

	"github.com/dop251/goja"
)

// textOfThis makes this a primitive string and returns it.
func (in *instance) textOfThis(call *goja.FunctionCall) goja.String {
	if s, ok := call.This.(goja.String); ok {
		return s
	}
	in.coercible(call.This)
	s := in.stringOfValue(call.This)
	call.This = s
	return s
}

// textArgument makes an argument a primitive string and returns it.
func (in *instance) textArgument(call *goja.FunctionCall, at int) goja.String {
	s := in.stringOfValue(call.Argument(at))
	if at < len(call.Arguments) {
		call.Arguments[at] = s
	}
	return s
}

// integerArgument makes an argument a primitive number and returns it.
func (in *instance) integerArgument(call *goja.FunctionCall, at int) int64 {
	n := call.Argument(at).ToInteger()
	if at < len(call.Arguments) {
		call.Arguments[at] = in.vm.ToValue(n)
	}
	return n
}

// payText is for one walk over a string.
func payText(in *instance, call *goja.FunctionCall) {
	in.spend(1 + int64(in.textOfThis(call).Length())>>4)
}

func payTextArgument(in *instance, call *goja.FunctionCall) {
	if s, ok := call.Argument(0).(goja.String); ok {
		in.spend(1 + int64(s.Length())>>2)
	} else if _, isObject := call.Argument(0).(*goja.Object); isObject {
		in.spend(1 + int64(in.textArgument(call, 0).Length())>>2)
	}
}

func paySearch(in *instance, call *goja.FunctionCall) {
	n := int64(in.textOfThis(call).Length())
	if len(call.Arguments) > 0 {
		if o, ok := call.Arguments[0].(*goja.Object); !ok || o.ClassName() != "RegExp" { // a TypeError
			n += int64(in.textArgument(call, 0).Length())
		}
	}
	in.spend(1 + n>>4)
}

// payCompare is for a comparison by the rules of a language.
func payCompare(in *instance, call *goja.FunctionCall) {
	in.spend(10 + 5*int64(in.textOfThis(call).Length()+in.textArgument(call, 0).Length()))
}

// payNormalize pays for the longest that the four forms can make of a text.
func payNormalize(in *instance, call *goja.FunctionCall) {
	s := in.textOfThis(call)
	n, factor := int64(s.Length()), int64(4)
	if len(s.String()) == s.Length() {
		factor = 1 // ASCII stays
	} else if !goja.IsUndefined(call.Argument(0)) && strings.HasPrefix(in.textArgument(call, 0).String(), "NFK") {
		factor = 18
	}
	in.allocate(n * factor * 2)
	in.spend(1 + n)
}

func paySplit(in *instance, call *goja.FunctionCall) {
	s := in.textOfThis(call)
	n := int64(s.Length())
	in.spend(1 + n>>3)
	if _, isObject := call.Argument(0).(*goja.Object); isObject || len(call.Arguments) == 0 {
		return // Symbol.split pays
	}
	separator, parts := in.stringOfValue(call.Argument(0)), n
	if separator.Length() > 0 {
		parts = int64(strings.Count(s.String(), separator.String())) + 1
	}
	if limit := call.Argument(1); !goja.IsUndefined(limit) {
		parts = min(parts, int64(uint32(in.integerArgument(call, 1))))
	}
	in.allocate(parts * elementPrice)
}

// payPattern makes a text that stands for a regular expression one that was checked.
func payPattern(in *instance, call *goja.FunctionCall) {
	in.textOfThis(call)
	in.spend(2)
	v := call.Argument(0)
	if _, isObject := v.(*goja.Object); !isObject && !goja.IsUndefined(v) {
		in.compilePattern(in.textArgument(call, 0).String(), "")
	}
}

// payTexts is for putting texts together.
func payTexts(in *instance, call *goja.FunctionCall) {
	n := int64(in.textOfThis(call).Length())
	for i := range call.Arguments {
		n += int64(in.textArgument(call, i).Length())
	}
	in.stringOfLength(n)
}

func payRepeat(in *instance, call *goja.FunctionCall) {
	s, n := int64(in.textOfThis(call).Length()), in.integerArgument(call, 0)
	if n > 0 && s > 0 {
		if n > in.maxString() {
			in.stop(tooLong(n, in.maxString()))
		}
		in.stringOfLength(n * s)
	}
}

func payPad(in *instance, call *goja.FunctionCall) {
	in.textOfThis(call)
	in.stringOfLength(in.integerArgument(call, 0))
	if !goja.IsUndefined(call.Argument(1)) {
		in.textArgument(call, 1)
	}
}
