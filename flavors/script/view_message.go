package script

import (
	"slices"
	"strings"

	"github.com/dop251/goja"

	"github.com/leat-run/leat/runtime"
)

// messageView is the guest's msg (goja.DynamicObject): payload, meta, key can be read
// and assigned, id and source can be read. Nothing else exists on it, so that a
// mistyped name is an error and not a lost value.
type messageView struct {
	in      *instance
	message runtime.Message
	object  *goja.Object
	payload goja.Value // nil while untouched
	wrote   bool       // payload was assigned, not only read
	meta    goja.Value
	key     goja.Value
}

var messageKeys = []string{"id", "key", "payload", "meta", "source"}

// Get returns the property, or nil.
func (v *messageView) Get(name string) goja.Value {
	switch name {
	case "payload":
		return v.readPayload()
	case "meta":
		if v.meta == nil {
			v.meta = v.in.newMeta(v.message.Meta)
		}
		return v.meta
	case "key":
		return v.readKey()
	case "id":
		return v.in.vm.ToValue(v.message.ID)
	case "source":
		return v.in.vm.ToValue(v.message.Source)
	default:
		return nil
	}
}

func (v *messageView) readPayload() goja.Value {
	if v.payload == nil {
		v.payload = v.in.readPayload(v.message)
	}
	return v.payload
}

func (v *messageView) readKey() goja.Value {
	if v.key == nil {
		v.key = goja.Null()
		if v.message.Key != nil {
			v.key = v.in.text(v.message.Key)
		}
	}
	return v.key
}

// Has says whether the property exists.
func (v *messageView) Has(name string) bool { return slices.Contains(messageKeys, name) }

// Set assigns payload, meta or key.
func (v *messageView) Set(name string, value goja.Value) bool {
	switch name {
	case "payload":
		v.payload, v.wrote = value, true
	case "meta":
		v.meta = value
	case "key":
		v.key = value
	case "id", "source":
		panic(v.in.vm.NewTypeError("msg.%s cannot be changed", name))
	default:
		panic(v.in.vm.NewTypeError("msg has no %q: it has payload, meta and key; did you mean msg.payload.%s?", name, name))
	}
	return true
}

// Delete removes the key or empties meta; the payload cannot be deleted.
func (v *messageView) Delete(name string) bool {
	switch name {
	case "key":
		v.key = goja.Null()
	case "meta":
		v.meta = v.in.newMeta(nil)
	default:
		return !v.Has(name)
	}
	return true
}

// Keys returns the names, always all of them.
func (v *messageView) Keys() []string { return slices.Clone(messageKeys) }

// readPayload makes the JavaScript value of a payload: a view of JSON, or the text of
// a raw one.
func (in *instance) readPayload(m runtime.Message) goja.Value {
	if m.Codec == "raw" {
		return in.text(m.Payload)
	}
	return in.open(m.Payload).value(0)
}

// text makes a string of bytes; what is no UTF-8 reads as U+FFFD.
func (in *instance) text(b []byte) goja.Value {
	in.allocate(int64(len(b)))
	return in.vm.ToValue(strings.ToValidUTF8(string(b), "\uFFFD"))
}

// unreadable turns the indexer's error into the failure of the message.
func (in *instance) unreadable(err error) *limit {
	switch e := err.(type) {
	case *depthError:
		return badInput("the payload nests deeper than budget.depth", "raise budget.depth, or flatten the payload before this node",
			int64(e.depth), int64(e.limit))
	case *sizeError:
		return badInput("the payload has more values than budget.memory can index", "raise budget.memory", e.bytes, e.limit)
	default:
		return badInput(err.Error(), "the node before this one emitted bytes that are not JSON", 0, 0)
	}
}

// metaView is msg.meta (goja.DynamicObject): strings by name, copied on write. Names
// that belong to the engine can be read; writing them has no effect on the message.
type metaView struct {
	in   *instance
	base runtime.Meta
	own  map[string]goja.Value // nil until the first write, then everything
	keys []string              // the names in own, in order
}

func (in *instance) newMeta(base runtime.Meta) goja.Value {
	return in.vm.NewDynamicObject(&metaView{in: in, base: base})
}

// Get returns an annotation, or nil.
func (v *metaView) Get(name string) goja.Value {
	if v.own != nil {
		return v.own[name]
	}
	if text, ok := v.base[name]; ok {
		return v.in.vm.ToValue(text)
	}
	return nil
}

// Has says whether the annotation exists.
func (v *metaView) Has(name string) bool { return v.Get(name) != nil }

// Set assigns an annotation; it is made a string when the message leaves.
func (v *metaView) Set(name string, value goja.Value) bool {
	v.copy()
	if _, ok := v.own[name]; !ok {
		v.keys = append(v.keys, name)
	}
	v.own[name] = value
	return true
}

// Delete removes an annotation.
func (v *metaView) Delete(name string) bool {
	if !v.Has(name) {
		return true
	}
	v.copy()
	v.in.spend(int64(len(v.keys)) >> 3)
	delete(v.own, name)
	v.keys = slices.DeleteFunc(v.keys, func(k string) bool { return k == name })
	return true
}

// Keys returns the names, sorted at first, later ones last.
func (v *metaView) Keys() []string {
	if v.own != nil {
		v.in.spend(int64(len(v.keys)) >> 3)
		return slices.Clone(v.keys)
	}
	keys := make([]string, 0, len(v.base))
	for name := range v.base {
		keys = append(keys, name)
	}
	slices.Sort(keys)
	return keys
}

func (v *metaView) copy() {
	if v.own != nil {
		return
	}
	keys := v.Keys()
	own := make(map[string]goja.Value, len(keys)+1)
	for _, name := range keys {
		own[name] = v.in.vm.ToValue(v.base[name])
	}
	v.own, v.keys = own, keys
}
