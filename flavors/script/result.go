package script

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"github.com/leat-run/leat/runtime"
)

// outputs makes messages of what the transform returned, by the rules of README.md,
// "What to return". null says that the guest asked to filter.
func (in *instance) outputs(in0 runtime.Message, returned goja.Value) (out []runtime.Message, null bool) {
	value := in.settled(returned)
	if goja.IsNull(value) {
		return nil, true
	}
	o, ok := value.(*goja.Object)
	if !ok {
		panic(badOutput("the script returned "+describeType(value), returnHint))
	}
	if _, isView := viewOf(o).(*arrayView); !isView && o.ClassName() != "Array" {
		return []runtime.Message{in.output(in0, o)}, false
	}
	return in.fanOut(in0, o), false
}

const returnHint = "return msg, null to filter, or an array of messages"

// fanOut makes one message of each element.
func (in *instance) fanOut(in0 runtime.Message, list *goja.Object) []runtime.Message {
	length := list.Get("length").ToInteger()
	if most := int64(in.budget.Outputs); length > most {
		l := badOutput("the script returned too many messages", "emit fewer, or raise budget.outputs")
		l.measured, l.limit = length, most
		panic(l)
	}
	var out []runtime.Message
	for i := int64(0); i < length; i++ {
		in.spend(1)
		value := list.Get(strconv.FormatInt(i, 10))
		o, ok := value.(*goja.Object)
		if !ok || isArray(o) {
			panic(badOutput("element "+strconv.FormatInt(i, 10)+" of what the script returned is "+describeType(value),
				"every element is a message or an object that becomes its payload; leave out what you want to filter"))
		}
		out = append(out, in.output(in0, o))
	}
	return out
}

func isArray(o *goja.Object) bool { return o.ClassName() == "Array" }

// settled unwraps a promise. All of its jobs have run by now: what is still pending
// waits for something outside, and there is no outside.
func (in *instance) settled(value goja.Value) goja.Value {
	o, ok := value.(*goja.Object)
	if !ok || o.ExportType() != typePromise {
		return value
	}
	promise := o.Export().(*goja.Promise)
	switch promise.State() {
	case goja.PromiseStateFulfilled:
		return promise.Result()
	case goja.PromiseStateRejected:
		in.handled(promise)
		panic(&thrown{value: promise.Result(), note: "the transform's promise was rejected"})
	default:
		panic(badOutput("the script returned a promise that never settles", "a guest has no timers and no network: nothing outside can settle it"))
	}
}

// thrown carries a value that was thrown where no exception of goja's exists.
type thrown struct {
	value goja.Value
	note  string
}

func (t *thrown) Error() string { return t.note }

// output makes one message of a message, a view or an object.
func (in *instance) output(in0 runtime.Message, o *goja.Object) runtime.Message {
	switch v := viewOf(o).(type) {
	case *messageView:
		return in.leave(v)
	case *objectView:
		return in.fresh(in0, o, nil, nil)
	case *metaView:
		panic(badOutput("the script returned msg.meta", returnHint))
	}
	if class := classOf(o); class != "Object" {
		what, hint := refusal(class)
		panic(badOutput("the script returned "+what, hint+"; "+returnHint))
	}
	payload := o.Get("payload")
	if payload == nil {
		return in.fresh(in0, o, nil, nil)
	}
	if odd := in.oddKey(o); odd != "" {
		panic(badOutput("the script returned an object with payload and "+strconv.Quote(odd),
			"a message has payload, meta and key; if the whole object is the payload, return {payload: object}"))
	}
	return in.fresh(in0, payload, o.Get("meta"), o.Get("key"))
}

// oddKey returns a property that no message has, or "".
func (in *instance) oddKey(o *goja.Object) string {
	for _, name := range o.Keys() {
		switch name {
		case "payload", "meta", "key", "id", "source":
		default:
			return runtime.Cut(name, 64)
		}
	}
	return ""
}

// leave makes the output of msg itself: what was not assigned stays as it came.
func (in *instance) leave(v *messageView) runtime.Message {
	out := v.message
	if _, isObject := v.payload.(*goja.Object); isObject || v.wrote {
		in.setPayload(&out, v.payload)
	} else {
		in.count(len(out.Payload))
	}
	if v.meta != nil {
		out.Meta = in.metaOf(v.message.Meta, v.meta)
	}
	if v.key != nil {
		out.Key = in.keyOf(v.message.Key, v.key)
	}
	return out
}

// fresh makes an output of a payload and, where they were given, meta and key; the
// rest is the input's.
func (in *instance) fresh(in0 runtime.Message, payload, meta, key goja.Value) runtime.Message {
	out := in0
	in.setPayload(&out, payload)
	if meta != nil && !goja.IsUndefined(meta) {
		out.Meta = in.metaOf(in0.Meta, meta)
	}
	if key != nil && !goja.IsUndefined(key) {
		out.Key = in.keyOf(in0.Key, key)
	}
	return out
}

// setPayload encodes a payload. A string stays raw in a raw message; everything else
// becomes JSON. A payload that is the untouched text is not copied.
func (in *instance) setPayload(m *runtime.Message, payload goja.Value) {
	if goja.IsUndefined(payload) {
		panic(badOutput("the payload is undefined", "set msg.payload, or return null to filter"))
	}
	if text, ok := payload.(goja.String); ok && m.Codec == "raw" {
		in.setRaw(m, text)
		return
	}
	if o, ok := payload.(*goja.Object); ok && clean(o) {
		if v, isRoot := rootText(o); isRoot && len(v) == len(m.Payload) && len(v) > 0 && &v[0] == &m.Payload[0] {
			in.count(len(m.Payload))
			return
		}
	}
	m.Payload, m.Codec = in.encoder.payload(payload), "json"
	in.written += int64(len(m.Payload))
}

// setRaw assigns text to a raw message, unless it is what was read from it.
func (in *instance) setRaw(m *runtime.Message, text goja.String) {
	s := text.String()
	if s != strings.ToValidUTF8(string(m.Payload), "\uFFFD") {
		m.Payload = []byte(s)
	}
	in.count(len(m.Payload))
}

// rootText returns the whole text behind a view of a document's root.
func rootText(o *goja.Object) ([]byte, bool) {
	switch v := viewOf(o).(type) {
	case *objectView:
		return v.doc.text, v.at == 0
	case *arrayView:
		return v.doc.text, v.at == 0
	default:
		return nil, false
	}
}

// count charges output bytes that were not encoded.
func (in *instance) count(bytes int) {
	in.encoder.buf = in.encoder.buf[:0]
	in.encoder.room(bytes)
	in.written += int64(bytes)
}

// keyOf reads a key: a string, or null for none.
func (in *instance) keyOf(before []byte, key goja.Value) []byte {
	if goja.IsNull(key) {
		return nil
	}
	text, ok := key.(goja.String)
	if !ok {
		panic(badOutput("msg.key is "+describeType(key), "a key is a string, or null for none"))
	}
	s := text.String()
	if before != nil && s == strings.ToValidUTF8(string(before), "\uFFFD") {
		return before
	}
	in.count(len(s))
	return []byte(s)
}

// metaOf reads annotations: strings, numbers and booleans by name. Names of the
// engine's keep the value that they had, whatever the guest wrote.
func (in *instance) metaOf(before runtime.Meta, meta goja.Value) runtime.Meta {
	o, ok := meta.(*goja.Object)
	if !ok {
		panic(badOutput("msg.meta is "+describeType(meta), "meta is an object of strings"))
	}
	if v, isView := viewOf(o).(*metaView); isView && v.own == nil {
		return v.base
	}
	out := make(runtime.Meta)
	for _, name := range o.Keys() {
		if value := o.Get(name); value != nil && !goja.IsUndefined(value) && !strings.HasPrefix(name, runtime.MetaReserved) {
			out[name] = in.metaText(name, value)
		}
	}
	for name, text := range before {
		if strings.HasPrefix(name, runtime.MetaReserved) {
			out[name] = text
		}
	}
	return out
}

func (in *instance) metaText(name string, value goja.Value) string {
	switch value.(type) {
	case *goja.Object, *goja.Symbol:
		panic(badOutput("msg.meta."+runtime.Cut(name, 64)+" is "+describeType(value), "meta holds strings: use JSON.stringify"))
	}
	if goja.IsNull(value) {
		panic(badOutput("msg.meta."+runtime.Cut(name, 64)+" is null", "delete the entry, or write a string"))
	}
	text := value.String()
	if t := value.ExportType(); t == typeInt || t == typeFloat {
		digits, fault := in.rounded(value.ToFloat())
		if fault != "" {
			panic(badOutput("msg.meta."+runtime.Cut(name, 64)+" is "+fault, "leave it in the payload, or set integers: string on the node"))
		}
		text = cmp.Or(digits, text)
	}
	in.count(len(name) + len(text))
	return text
}

// describeType names a value's type for a failure, with its article.
func describeType(v goja.Value) string {
	switch x := v.(type) {
	case nil:
		return "undefined"
	case *goja.Object:
		if isArray(x) {
			return "an array"
		}
		class := classOf(x)
		if class == "Object" {
			return "an object"
		}
		what, _ := refusal(class)
		return what
	case goja.String:
		return "a string"
	case *goja.Symbol:
		return "a symbol"
	}
	switch {
	case goja.IsUndefined(v):
		return "nothing (undefined)"
	case goja.IsNull(v):
		return "null"
	case goja.IsBigInt(v):
		return "a BigInt"
	case v.ExportType() == typeBool:
		return "a boolean"
	default:
		return "a number"
	}
}
