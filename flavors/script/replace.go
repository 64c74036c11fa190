package script

import "github.com/dop251/goja"

// replacement is the second argument of replace: a template, or a function.
type replacement struct {
	template goja.String
	call     goja.Callable
	function goja.Value
}

func (in *instance) replacementOf(v goja.Value) replacement {
	if f, ok := goja.AssertFunction(v); ok {
		return replacement{call: f, function: v}
	}
	return replacement{template: in.stringOfValue(v)}
}

// replacing builds the result of one replace. Everything written is paid for, so that a
// template which repeats the text ends at the cap of a string.
type replacing struct {
	writer
	s    *subject
	by   replacement
	done int // position in s up to which the result is written
}

// text writes a piece of what is replaced in.
func (r *replacing) text(from, to int) { r.part(r.s.value, from, to) }

// match writes what stands before a match, and what replaces it. p is nil where the match
// is of a plain string.
func (r *replacing) match(p *pattern, found []int) {
	r.text(r.done, found[0])
	r.done = found[1]
	if r.by.call == nil {
		r.expand(p, found)
		return
	}
	args := make([]goja.Value, 0, len(found)/2+3)
	for n := range len(found) / 2 {
		args = append(args, r.s.group(found, n))
	}
	args = append(args, r.in.vm.ToValue(found[0]), r.s.value)
	if p != nil && p.named() {
		args = append(args, r.in.groups(p, r.s, found))
	}
	r.in.spend(4)
	value, err := r.by.call(goja.Undefined(), args...)
	if err != nil {
		panic(err)
	}
	r.write(r.in.stringOfValue(value))
}

func (r *replacing) finish() goja.Value {
	r.text(r.done, r.s.length)
	return r.out.String()
}

// expand writes the template with its $ references.
func (r *replacing) expand(p *pattern, found []int) {
	t := r.by.template
	n := t.Length()
	for i := 0; i < n; i++ {
		c := t.CharAt(i)
		if c != '$' || i+1 >= n {
			from := i
			for i+1 < n && t.CharAt(i+1) != '$' {
				i++
			}
			r.part(t, from, i+1)
			continue
		}
		i = r.reference(p, found, i)
	}
}

// reference writes what the $ at i refers to and returns the last place that belongs to it.
func (r *replacing) reference(p *pattern, found []int, i int) int {
	t := r.by.template
	switch c := t.CharAt(i + 1); {
	case c == '$':
		r.part(t, i, i+1)
		return i + 1
	case c == '&':
		r.text(found[0], found[1])
		return i + 1
	case c == '`':
		r.text(0, found[0])
		return i + 1
	case c == '\'':
		r.text(found[1], r.s.length)
		return i + 1
	case c >= '0' && c <= '9':
		return r.numbered(found, i)
	case c == '<' && p != nil && p.named():
		return r.namedGroup(p, found, i)
	default:
		r.part(t, i, i+1)
		return i
	}
}

// numbered writes $1 to $99, as far as there are groups.
func (r *replacing) numbered(found []int, i int) int {
	t, n, end := r.by.template, 0, i
	for j := i + 1; j < min(i+3, t.Length()); j++ {
		c := t.CharAt(j)
		if c < '0' || c > '9' {
			break
		}
		if m := n*10 + int(c-'0'); m >= len(found)/2 {
			break
		} else {
			n, end = m, j
		}
	}
	if n == 0 {
		r.part(t, i, i+1)
		return i
	}
	if found[2*n] >= 0 {
		r.text(found[2*n], found[2*n+1])
	}
	return end
}

// namedGroup writes $<name>.
func (r *replacing) namedGroup(p *pattern, found []int, i int) int {
	t := r.by.template
	for j := i + 2; j < t.Length(); j++ {
		if t.CharAt(j) != '>' {
			continue
		}
		name := t.Substring(i+2, j).String()
		for n, known := range p.names {
			if known == name && name != "" && found[2*n] >= 0 {
				r.text(found[2*n], found[2*n+1])
			}
		}
		return j
	}
	r.part(t, i, i+1)
	return i
}

func (in *instance) regexpReplace(o *goja.Object, p *pattern, call goja.FunctionCall) goja.Value {
	s := in.subjectOf(in.stringOfValue(call.Argument(0)))
	r := &replacing{writer: writer{in: in}, s: s, by: in.replacementOf(call.Argument(1))}
	if !p.global {
		if found := in.execute(o, p, s); found != nil {
			r.match(p, found)
		}
		return r.finish()
	}
	in.setLastIndex(o, 0)
	if r.by.call != nil {
		return r.afterAll(p)
	}
	in.each(p, s, func(found []int) bool {
		r.match(p, found)
		return true
	})
	return r.finish()
}

// afterAll finds every match before it calls the guest's function with the first one.
func (r *replacing) afterAll(p *pattern) goja.Value {
	var all [][]int
	r.in.each(p, r.s, func(found []int) bool {
		r.in.payElement(len(all) * (1 + len(found)/4))
		all = append(all, found)
		return true
	})
	for _, found := range all {
		r.match(p, found)
	}
	return r.finish()
}

// stringReplace is String.prototype.replace and replaceAll. An object with a
// Symbol.replace of its own does the work itself.
func (in *instance) stringReplace(all bool) nativeFunction {
	return func(call goja.FunctionCall) goja.Value {
		in.coercible(call.This)
		search := call.Argument(0)
		if o, ok := search.(*goja.Object); ok {
			if all && o.ClassName() == "RegExp" && !in.patternOf(o).global {
				panic(in.vm.NewTypeError("replaceAll takes a regular expression with the flag g"))
			}
			if method := o.GetSymbol(goja.SymReplace); method != nil && !goja.IsUndefined(method) && !goja.IsNull(method) {
				return in.invoke(method, o, call.This, call.Argument(1))
			}
		}
		s := in.subjectOf(in.stringOfValue(call.This))
		what := in.stringOfValue(search)
		r := &replacing{writer: writer{in: in}, s: s, by: in.replacementOf(call.Argument(1))}
		for at := in.indexIn(s, what, 0); at >= 0; {
			r.match(nil, []int{at, at + what.Length()})
			if !all {
				break
			}
			at = in.indexIn(s, what, at+max(what.Length(), 1))
		}
		return r.finish()
	}
}

func (in *instance) coercible(v goja.Value) {
	if goja.IsUndefined(v) || goja.IsNull(v) {
		panic(in.vm.NewTypeError("a method of String.prototype was called on null or undefined"))
	}
}

// invoke calls a function value.
func (in *instance) invoke(f goja.Value, this goja.Value, args ...goja.Value) goja.Value {
	call, ok := goja.AssertFunction(f)
	if !ok {
		panic(in.vm.NewTypeError("not a function"))
	}
	value, err := call(this, args...)
	if err != nil {
		panic(err)
	}
	return value
}

// indexIn returns the first place of what in s at or after from, or -1.
func (in *instance) indexIn(s *subject, what goja.String, from int) int {
	if from > s.length {
		return -1
	}
	at := in.indexOf(goja.FunctionCall{This: s.value, Arguments: []goja.Value{what, in.vm.ToValue(from)}}).ToInteger()
	walked := int64(s.length - from)
	if at >= 0 {
		walked = at - int64(from)
	}
	in.spend(1 + (walked+int64(what.Length()))>>4)
	return int(at)
}
