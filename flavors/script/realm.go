package script

import (
	"slices"
	"strings"
	"sync"

	"github.com/dop251/goja"
)

// realm is the way from the global object to every built-in object: the same in every VM
// with the same options, so that it is found once and then only walked.
type realm struct {
	steps     []realmStep
	overrides []override
}

// realmStep leads from an object that is known to one that is not yet.
type realmStep struct {
	parent int // index of the object, or of the root where how is root
	how    stepKind
	name   string
	symbol *goja.Symbol // instead of name
}

type stepKind byte

const (
	stepRoot stepKind = iota
	stepValue
	stepGetter
	stepSetter
	stepPrototype
)

var accessorPart = [...]string{stepGetter: "get", stepSetter: "set"}

// override is a property of a prototype that classes commonly have too.
type override struct {
	object int
	name   string
}

// overridden are the names whose assignment on an object below a frozen prototype has to
// work (this.name = 'MyError').
var overridden = []string{"toString", "toLocaleString", "valueOf", "constructor", "hasOwnProperty", "name", "message", "toJSON", "inspect", "exec"}

// realms are known by what is allowed.
type realms struct {
	mu struct {
		sync.Mutex
		known map[string]*realm
	}
}

// seal freezes every object that can be reached from the roots, so that no message can
// change what the next one sees.
func (in *instance) seal(roots []*goja.Object) {
	key := strings.Join(slices.Sorted(slices.Values(in.module.settings.Allow)), " ")
	known := &in.module.flavor.realms
	known.mu.Lock()
	r := known.mu.known[key]
	known.mu.Unlock()
	var objects []*goja.Object
	if r == nil {
		r, objects = in.explore(roots)
		known.mu.Lock()
		if known.mu.known == nil {
			known.mu.known = make(map[string]*realm)
		}
		known.mu.known[key] = r
		known.mu.Unlock()
	} else {
		objects = in.follow(r, roots)
	}
	for _, o := range r.overrides {
		in.override(objects[o.object], o.name)
	}
	for _, o := range objects {
		in.freeze(o)
	}
}

// follow returns the objects at the ends of a realm's steps.
func (in *instance) follow(r *realm, roots []*goja.Object) []*goja.Object {
	objects := make([]*goja.Object, 0, len(r.steps))
	for i := range r.steps {
		s := &r.steps[i]
		if s.how == stepRoot {
			objects = append(objects, roots[s.parent])
			continue
		}
		o := in.step(objects[s.parent], s)
		if o == nil {
			panic("script: prepare the VM: a built-in is not where it was: " + s.name)
		}
		objects = append(objects, o)
	}
	return objects
}

// step takes one step; nil where no object is there.
func (in *instance) step(o *goja.Object, s *realmStep) *goja.Object {
	var v goja.Value
	switch {
	case s.how == stepPrototype:
		return o.Prototype()
	case s.how != stepValue:
		v = in.descriptor(o, s).Get(accessorPart[s.how])
	case s.symbol != nil:
		v = o.GetSymbol(s.symbol)
	default:
		v = o.Get(s.name)
	}
	found, _ := v.(*goja.Object)
	return found
}

func (in *instance) descriptor(o *goja.Object, s *realmStep) *goja.Object {
	name := goja.Value(s.symbol)
	if s.symbol == nil {
		name = in.vm.ToValue(s.name)
	}
	d, err := in.describeProperty(goja.Undefined(), o, name)
	in.must(err)
	return d.(*goja.Object)
}

// explore finds the realm.
func (in *instance) explore(roots []*goja.Object) (*realm, []*goja.Object) {
	r := &realm{}
	var objects []*goja.Object
	seen := map[*goja.Object]bool{in.vm.GlobalObject(): true}
	visit := func(o *goja.Object, s realmStep) {
		if o != nil && !seen[o] {
			seen[o] = true
			r.steps, objects = append(r.steps, s), append(objects, o)
		}
	}
	for i, root := range roots {
		visit(root, realmStep{parent: i, how: stepRoot})
	}
	for at := 0; at < len(objects); at++ {
		o := objects[at]
		isPrototype := false
		for _, s := range in.ownSteps(o, at) {
			d := in.descriptor(o, &s)
			if s.how = stepValue; d.Get("value") != nil {
				child, _ := d.Get("value").(*goja.Object)
				visit(child, s)
				isPrototype = isPrototype || s.name == "constructor"
				continue
			}
			for s.how = stepGetter; s.how <= stepSetter; s.how++ {
				child, _ := d.Get(accessorPart[s.how]).(*goja.Object)
				visit(child, s)
			}
		}
		visit(o.Prototype(), realmStep{parent: at, how: stepPrototype})
		if isPrototype && o.ClassName() != "Function" {
			for _, name := range overridden {
				if in.overridable(o, name) {
					r.overrides = append(r.overrides, override{at, name})
				}
			}
		}
	}
	return r, objects
}

// ownSteps lists the own properties of an object.
func (in *instance) ownSteps(o *goja.Object, at int) (steps []realmStep) {
	for _, name := range o.GetOwnPropertyNames() {
		steps = append(steps, realmStep{parent: at, name: name})
	}
	for _, symbol := range o.Symbols() {
		steps = append(steps, realmStep{parent: at, symbol: symbol})
	}
	return steps
}

func (in *instance) overridable(o *goja.Object, name string) bool {
	d, err := in.describeProperty(goja.Undefined(), o, in.vm.ToValue(name))
	in.must(err)
	descriptor, ok := d.(*goja.Object)
	return ok && descriptor.Get("value") != nil && descriptor.Get("configurable").ToBoolean()
}

// override makes a property of a prototype an accessor whose setter defines an own
// property on the receiver: a frozen data property would make such an assignment throw.
func (in *instance) override(o *goja.Object, name string) {
	value := o.Get(name)
	get := in.vm.ToValue(func(goja.FunctionCall) goja.Value { return value })
	set := in.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		receiver, ok := call.This.(*goja.Object)
		if !ok || receiver == o {
			panic(in.vm.NewTypeError("cannot change '%s' of a built-in object", name))
		}
		if err := receiver.DefineDataProperty(name, call.Argument(0), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
			panic(err)
		}
		return goja.Undefined()
	})
	in.must(o.DefineAccessorProperty(name, get, set, goja.FLAG_FALSE, goja.FLAG_FALSE))
}

// builtin returns a property of a global object.
func (in *instance) builtin(global, name string) goja.Value {
	return in.vm.Get(global).ToObject(in.vm).Get(name)
}
