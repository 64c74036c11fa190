package script

import (
	"strings"

	"github.com/dlclark/regexp2/v2"

	"github.com/dop251/goja"
)

// patterns are the compiled regular expressions that one instance knows.
type patterns struct {
	object       map[*goja.Object]*pattern    // by RegExp object
	source       map[string]*pattern          // by /source/flags
	backtracking map[*pattern]*regexp2.Regexp // programs of the other engine
	text         nativeFunction               // RegExp.prototype.toString
	exec         *goja.Object                 // RegExp.prototype.exec, ours
}

// forget drops what earlier messages left: fuel would tell.
func (p *patterns) forget() {
	clear(p.object)
	clear(p.source)
	clear(p.backtracking)
}

// Bounds of patterns: what is beyond them is compiled again.
const (
	maxPatternObjects = 512
	maxPatternSources = 256
)

type nativeFunction = func(goja.FunctionCall) goja.Value

// guardRegexps replaces what matches: goja's own would backtrack where RE2 need not,
// takes the end of a match for "no match" and has its time limit in a variable of the
// process.
func (in *instance) guardRegexps() {
	in.patterns.object = make(map[*goja.Object]*pattern)
	in.patterns.source = make(map[string]*pattern)
	in.patterns.backtracking = make(map[*pattern]*regexp2.Regexp)
	proto := in.prototype("RegExp")
	in.must(proto.Delete("compile"))
	in.patterns.text = in.nativeOf(proto.Get("toString"))
	in.patterns.exec = in.native("exec", 1, in.regexpExec)
	in.must(proto.DefineDataProperty("exec", in.patterns.exec, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	in.must(proto.DefineDataProperty("test", in.native("test", 1, in.regexpTest), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	for _, m := range []struct {
		symbol *goja.Symbol
		name   string
		length int
		own    func(*goja.Object, *pattern, goja.FunctionCall) goja.Value
	}{
		{goja.SymMatch, "[Symbol.match]", 1, in.regexpMatch},
		{goja.SymReplace, "[Symbol.replace]", 2, in.regexpReplace},
		{goja.SymSearch, "[Symbol.search]", 1, in.regexpSearch},
		{goja.SymSplit, "[Symbol.split]", 2, in.regexpSplit},
	} {
		function := in.native(m.name, m.length, func(call goja.FunctionCall) goja.Value {
			o, p := in.plainRegexp(call.This)
			if p == nil { // an exec that is native would be called for ever, without bytecode
				panic(in.vm.NewTypeError("%s takes a RegExp without an exec of its own here", m.name))
			}
			return m.own(o, p, call)
		})
		in.must(proto.DefineDataPropertySymbol(m.symbol, function, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	}
	in.must(proto.DefineDataPropertySymbol(goja.SymMatchAll, in.native("[Symbol.matchAll]", 1, in.regexpMatchAll), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
}

// nativeOf returns the Go function behind a built-in.
func (in *instance) nativeOf(v goja.Value) nativeFunction {
	f, ok := v.Export().(func(goja.FunctionCall) goja.Value)
	if !ok {
		panic("script: prepare the VM: a built-in is no native function")
	}
	return f
}

// plainRegexp returns a RegExp object that matches the way all do, and its pattern.
func (in *instance) plainRegexp(v goja.Value) (*goja.Object, *pattern) {
	o, ok := v.(*goja.Object)
	if !ok || o.ClassName() != "RegExp" {
		return nil, nil
	}
	if exec, ok := o.Get("exec").(*goja.Object); !ok || exec != in.patterns.exec {
		return o, nil
	}
	return o, in.patternOf(o)
}

// patternOf returns the pattern of a RegExp object.
func (in *instance) patternOf(o *goja.Object) *pattern {
	if p, ok := in.patterns.object[o]; ok {
		return p
	}
	text := in.patterns.text(goja.FunctionCall{This: o}).String()
	end := strings.LastIndexByte(text, '/')
	p := in.compilePattern(text[1:end], text[end+1:])
	in.knowPattern(o, p)
	return p
}

func (in *instance) knowPattern(o *goja.Object, p *pattern) {
	if len(in.patterns.object) >= maxPatternObjects {
		clear(in.patterns.object)
	}
	in.patterns.object[o] = p
}

// patternPrice is what compiling a pattern costs at least; goja does it too.
const patternPrice = 500

// compilePattern compiles at run time what was not in the source as a literal. A pattern
// that is not offered is a SyntaxError.
func (in *instance) compilePattern(source, flags string) *pattern {
	key := source + "/" + flags
	if p, ok := in.patterns.source[key]; ok {
		return p
	}
	in.allocate(int64(len(source)) * 64)
	p, fault := newPattern(source, flags)
	if fault != nil {
		message := fault.message
		if fault.hint != "" {
			message += ": " + fault.hint
		}
		panic(in.syntaxError(message))
	}
	in.allocate(int64(p.size) * 64)
	in.spend(patternPrice + 8*int64(p.size) + int64(p.folded)>>2)
	if len(in.patterns.source) >= maxPatternSources {
		clear(in.patterns.source)
	}
	in.patterns.source[key] = p
	return p
}

func (in *instance) syntaxError(message string) *goja.Object {
	return in.newError("SyntaxError", message)
}

func (in *instance) rangeError(message string) *goja.Object {
	return in.newError("RangeError", message)
}

func (in *instance) newError(class, message string) *goja.Object {
	o, err := in.vm.New(in.vm.Get(class), in.vm.ToValue(message))
	if err != nil {
		panic(err)
	}
	return o
}

// checkPattern is what the RegExp constructor calls first: it returns the source as a
// string, once it has been found good.
func (in *instance) checkPattern(call goja.FunctionCall) goja.Value {
	source, flags := call.Argument(0), ""
	if goja.IsUndefined(source) {
		return source
	}
	if !goja.IsUndefined(call.Argument(1)) {
		flags = in.stringOfValue(call.Argument(1)).String()
	}
	text := in.stringOfValue(source)
	in.compilePattern(text.String(), flags)
	return text
}

// stringOfValue is JavaScript's ToString; a toString of the guest's may run.
func (in *instance) stringOfValue(v goja.Value) goja.String {
	if s, ok := v.ToString().(goja.String); ok {
		return s
	}
	return in.vm.ToValue(v.String()).(goja.String) // goja leaves numbers as they are
}

// execute matches once, from lastIndex where the flags say so, and moves it.
func (in *instance) execute(o *goja.Object, p *pattern, s *subject) []int {
	if !p.global && !p.sticky {
		return in.find(p, s, 0, false)
	}
	start := toLength(o.Get("lastIndex"))
	var found []int
	if start <= int64(s.length) {
		found = in.find(p, s, int(start), p.sticky)
	}
	next := 0
	if found != nil {
		next = found[1]
	}
	in.setLastIndex(o, next)
	return found
}

func (in *instance) setLastIndex(o *goja.Object, n int) {
	if err := o.Set("lastIndex", n); err != nil {
		panic(err)
	}
}

func toLength(v goja.Value) int64 {
	if v == nil {
		return 0
	}
	return min(max(v.ToInteger(), 0), 1<<53-1)
}

func (in *instance) regexpReceiver(v goja.Value) (*goja.Object, *pattern) {
	o, ok := v.(*goja.Object)
	if !ok || o.ClassName() != "RegExp" {
		panic(in.vm.NewTypeError("a method of RegExp.prototype was called on something else"))
	}
	return o, in.patternOf(o)
}

func (in *instance) regexpExec(call goja.FunctionCall) goja.Value {
	o, p := in.regexpReceiver(call.This)
	s := in.subjectOf(in.stringOfValue(call.Argument(0)))
	found := in.execute(o, p, s)
	if found == nil {
		return goja.Null()
	}
	return in.matchArray(p, s, found)
}

func (in *instance) regexpTest(call goja.FunctionCall) goja.Value {
	o, p := in.plainRegexp(call.This)
	if p != nil {
		return in.vm.ToValue(in.execute(o, p, in.subjectOf(in.stringOfValue(call.Argument(0)))) != nil)
	}
	result := in.callExec(in.objectOf(call.This), in.stringOfValue(call.Argument(0)))
	return in.vm.ToValue(!goja.IsNull(result))
}

func (in *instance) objectOf(v goja.Value) *goja.Object {
	o, ok := v.(*goja.Object)
	if !ok {
		panic(in.vm.NewTypeError("a method of RegExp.prototype was called on something else"))
	}
	return o
}

// callExec calls the exec that an object has, the guest's too.
func (in *instance) callExec(o *goja.Object, s goja.String) goja.Value {
	exec, ok := goja.AssertFunction(o.Get("exec"))
	if !ok {
		panic(in.vm.NewTypeError("exec is not a function"))
	}
	in.spend(4)
	result, err := exec(o, s)
	if err != nil {
		panic(err)
	}
	if _, isObject := result.(*goja.Object); !isObject && !goja.IsNull(result) {
		panic(in.vm.NewTypeError("exec returned something other than an object or null"))
	}
	return result
}

// matchArray is what exec returns.
func (in *instance) matchArray(p *pattern, s *subject, found []int) *goja.Object {
	in.spend(int64(len(found)))
	values := make([]any, 0, len(found)/2)
	for i := 0; i < len(found); i += 2 {
		values = append(values, s.group(found, i/2))
	}
	a := in.vm.NewArray(values...)
	in.must(a.Set("index", found[0]))
	in.must(a.Set("input", s.value))
	groups := goja.Undefined()
	if p.named() {
		groups = in.groups(p, s, found)
	}
	in.must(a.Set("groups", groups))
	return a
}

// group returns what a group matched, or undefined.
func (s *subject) group(found []int, n int) goja.Value {
	if 2*n >= len(found) || found[2*n] < 0 {
		return goja.Undefined()
	}
	return s.value.Substring(found[2*n], found[2*n+1])
}

// groups makes the object of named groups.
func (in *instance) groups(p *pattern, s *subject, found []int) goja.Value {
	o := in.vm.CreateObject(nil)
	for i, name := range p.names {
		if name != "" {
			in.must(o.Set(name, s.group(found, i)))
		}
	}
	return o
}
