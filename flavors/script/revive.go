package script

import "github.com/dop251/goja"

// jsonParse is JSON.parse. The text is goja's to read; the walk with a reviver is ours: what
// a reviver plants may be a cycle, on which goja's recurses until the process dies.
func (in *instance) jsonParse(parse nativeFunction) nativeFunction {
	return func(call goja.FunctionCall) goja.Value {
		in.checkJSON(&call)
		revive, ok := goja.AssertFunction(call.Argument(1))
		if !ok {
			return parse(call)
		}
		call.Arguments = call.Arguments[:1]
		holder := in.vm.NewObject()
		in.setOwn(holder, "", parse(call))
		r := reviver{in: in, revive: revive}
		return r.value(holder, "", 0)
	}
}

// reviver walks a value from its leaves up, paid for as it goes, as deep as a payload may be.
type reviver struct {
	in     *instance
	revive goja.Callable
}

func (r *reviver) value(holder *goja.Object, name string, depth int) goja.Value {
	v := holder.Get(name)
	if v == nil {
		v = goja.Undefined()
	}
	if o, ok := v.(*goja.Object); ok {
		if depth++; depth > r.in.budget.Depth {
			panic(r.in.vm.NewTypeError("JSON.parse: what the reviver made nests deeper than %d", r.in.budget.Depth))
		}
		r.members(o, depth)
	}
	r.in.spend(4)
	result, err := r.revive(holder, r.in.vm.ToValue(name), v)
	if err != nil {
		panic(err)
	}
	return result
}

func (r *reviver) members(o *goja.Object, depth int) {
	if isArray(o) {
		for i := range r.in.lengthOf(o) {
			r.member(o, indexName(int(i)), depth)
		}
		return
	}
	r.in.payForMembers(o)
	for _, name := range o.Keys() {
		r.member(o, name, depth)
	}
}

func (r *reviver) member(o *goja.Object, name string, depth int) {
	v := r.value(o, name, depth)
	if !goja.IsUndefined(v) {
		r.in.setOwn(o, name, v)
	} else if err := o.Delete(name); err != nil {
		r.in.unlessThrown(err)
	}
}

// setOwn gives an object a property of its own, if it takes one.
func (in *instance) setOwn(o *goja.Object, name string, v goja.Value) {
	if err := o.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
		in.unlessThrown(err)
	}
}

// unlessThrown passes on what is no exception of the script's, such as the end of its fuel.
func (in *instance) unlessThrown(err error) {
	if _, thrown := err.(*goja.Exception); !thrown {
		panic(err)
	}
}
