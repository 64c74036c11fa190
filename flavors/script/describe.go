package script

import (
	"strings"

	"github.com/dop251/goja"

	"github.com/leat-run/leat/runtime"
)

// describe renders a guest's value as text for a log or a failure: strings as they
// are, errors as name and message, the rest as JSON as far as it goes. REQUIRES: the
// caller is inside the guarded region, since getters may run.
func (in *instance) describe(v goja.Value) string {
	o, ok := v.(*goja.Object)
	if !ok {
		if v == nil {
			return "undefined"
		}
		if symbol, isSymbol := v.(*goja.Symbol); isSymbol {
			return runtime.Cut("Symbol("+symbol.String()+")", runtime.MaxReason)
		}
		if text, isText := v.(goja.String); isText {
			return head(text)
		}
		return runtime.Cut(v.String(), runtime.MaxReason)
	}
	if o.ClassName() == "Error" {
		return in.describeError(o)
	}
	var text string
	sub := encoder{in: in}
	if l := attempt(func() { text = string(sub.payload(o)) }); l != nil {
		what, _ := refusal(classOf(o))
		return "[" + strings.TrimPrefix(strings.TrimPrefix(what, "an "), "a ") + "]"
	}
	return runtime.Cut(text, runtime.MaxReason)
}

func (in *instance) describeError(o *goja.Object) string {
	name, message := in.textOf(o.Get("name")), in.textOf(o.Get("message"))
	switch {
	case name == "":
		return message
	case message == "":
		return name
	default:
		return runtime.Cut(name+": "+message, runtime.MaxReason)
	}
}

// textOf reads a string property without calling anything.
func (in *instance) textOf(v goja.Value) string {
	if s, ok := v.(goja.String); ok {
		text := head(s)
		if strings.HasPrefix(text, "Could not convert &{") { // goja prints its own structure, addresses and all
			text = "Cannot convert an object to a primitive value"
		}
		return text
	}
	return ""
}

// head returns a string as far as a failure or a log shows it. The rest is not looked at: it
// may be long.
func head(s goja.String) string {
	if s.Length() > runtime.MaxReason {
		s = s.Substring(0, runtime.MaxReason+1) // one more than is shown, so that the cut is marked
	}
	return runtime.Cut(s.String(), runtime.MaxReason)
}

// attempt runs f and returns an output failure that it panicked with; every other
// panic goes on.
func attempt(f func()) (failed *limit) {
	defer func() {
		if x := recover(); x != nil {
			l, ok := x.(*limit)
			if !ok || l.kind != runtime.KindOutput {
				panic(x)
			}
			failed = l
		}
	}()
	f()
	return nil
}
