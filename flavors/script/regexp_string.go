package script

import (
	"github.com/dop251/goja"
)

// each calls visit with every match of a global pattern, from the start on; an empty match
// moves on by one character.
func (in *instance) each(p *pattern, s *subject, visit func(found []int) bool) {
	for at := 0; at <= s.length; {
		found := in.find(p, s, at, p.sticky)
		if found == nil || !visit(found) {
			return
		}
		if at = found[1]; found[1] == found[0] {
			at = s.next(at, p.unicode)
		}
	}
}

// next is the position after one character.
func (s *subject) next(at int, unicode bool) int {
	if unicode && at+1 < s.length {
		high, low := s.value.CharAt(at), s.value.CharAt(at+1)
		if high >= 0xD800 && high <= 0xDBFF && low >= 0xDC00 && low <= 0xDFFF {
			return at + 2
		}
	}
	return at + 1
}

func (in *instance) regexpMatch(o *goja.Object, p *pattern, call goja.FunctionCall) goja.Value {
	s := in.subjectOf(in.stringOfValue(call.Argument(0)))
	if !p.global {
		if found := in.execute(o, p, s); found != nil {
			return in.matchArray(p, s, found)
		}
		return goja.Null()
	}
	in.setLastIndex(o, 0)
	var all []any
	in.each(p, s, func(found []int) bool {
		in.payElement(len(all))
		all = append(all, s.group(found, 0))
		return true
	})
	if all == nil {
		return goja.Null()
	}
	return in.vm.NewArray(all...)
}

// elementPrice is what an element of an array that a native fills takes, in bytes.
const elementPrice = 48

// payElement charges for one more element of a list that has n.
func (in *instance) payElement(n int) {
	in.allocated += elementPrice
	if bytes := int64(n) * elementPrice; bytes > in.budget.Memory {
		in.stop(in.outOfMemory(bytes))
	}
	in.spend(2)
}

// regexpMatchAll finds all matches at once and returns an iterator over them.
func (in *instance) regexpMatchAll(call goja.FunctionCall) goja.Value {
	text := in.stringOfValue(call.Argument(0))
	var all []any
	if o, p := in.plainRegexp(call.This); p != nil {
		s := in.subjectOf(text)
		first := true
		start := toLength(o.Get("lastIndex"))
		for at := int(min(start, int64(s.length)+1)); at <= s.length && (first || p.global); first = false {
			found := in.find(p, s, at, p.sticky)
			if found == nil {
				break
			}
			in.payElement(len(all))
			all = append(all, in.matchArray(p, s, found))
			if at = found[1]; found[1] == found[0] {
				at = s.next(at, p.unicode)
			}
		}
	} else {
		panic(in.vm.NewTypeError("matchAll takes a plain RegExp here"))
	}
	return in.iterator(in.vm.NewArray(all...))
}

// iterator returns an array's iterator.
func (in *instance) iterator(a *goja.Object) goja.Value {
	values, _ := goja.AssertFunction(a.GetSymbol(goja.SymIterator))
	it, err := values(a)
	if err != nil {
		panic(err)
	}
	return it
}

func (in *instance) regexpSearch(_ *goja.Object, p *pattern, call goja.FunctionCall) goja.Value {
	s := in.subjectOf(in.stringOfValue(call.Argument(0)))
	if found := in.find(p, s, 0, p.sticky); found != nil {
		return in.vm.ToValue(found[0])
	}
	return in.vm.ToValue(-1)
}

func (in *instance) regexpSplit(_ *goja.Object, p *pattern, call goja.FunctionCall) goja.Value {
	s := in.subjectOf(in.stringOfValue(call.Argument(0)))
	most := int64(1<<32 - 1)
	if v := call.Argument(1); !goja.IsUndefined(v) {
		most = int64(uint32(v.ToInteger()))
	}
	var parts []any
	add := func(v goja.Value) bool {
		in.payElement(len(parts))
		parts = append(parts, v)
		return int64(len(parts)) < most
	}
	if most == 0 {
		return in.vm.NewArray()
	}
	if s.length == 0 {
		if in.find(p, s, 0, true) == nil {
			add(s.value)
		}
		return in.vm.NewArray(parts...)
	}
	if from, full := in.splitParts(p, s, add); !full {
		add(s.value.Substring(from, s.length))
	}
	return in.vm.NewArray(parts...)
}

// splitParts adds every part but the last one and returns where that begins; full says
// that no more are wanted.
func (in *instance) splitParts(p *pattern, s *subject, add func(goja.Value) bool) (from int, full bool) {
	for at := 0; at < s.length; {
		found := in.find(p, s, at, false)
		if found == nil || found[0] >= s.length {
			break
		}
		if found[1] == from || found[0] == found[1] && found[0] == from {
			at = s.next(max(at, found[0]), p.unicode)
			continue
		}
		if !add(s.value.Substring(from, found[0])) {
			return from, true
		}
		for n := 1; n < len(found)/2; n++ {
			if !add(s.group(found, n)) {
				return from, true
			}
		}
		from, at = found[1], found[1]
		if found[0] == found[1] {
			at = s.next(at, p.unicode)
		}
	}
	return from, false
}
