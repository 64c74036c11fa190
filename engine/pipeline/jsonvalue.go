package pipeline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// jsonValue returns the CEL value of one JSON text without surrounding space. Objects are
// looked into when they are asked; a text that is no JSON is an error value.
func jsonValue(text []byte) ref.Val {
	if len(text) == 0 {
		return types.NewErr("the payload is empty")
	}
	switch text[0] {
	case '{':
		return &jsonObject{text: text}
	case '[':
		return jsonList(text)
	case '"':
		return jsonString(text)
	case 't', 'f', 'n':
		return jsonWord(text)
	default:
		return jsonNumber(text)
	}
}

func jsonWord(text []byte) ref.Val {
	switch string(text) {
	case "true":
		return types.True
	case "false":
		return types.False
	case "null":
		return types.NullValue
	default:
		return types.NewErr("the payload is no JSON")
	}
}

func jsonString(text []byte) ref.Val {
	s, ok := unquote(text)
	if !ok {
		return types.NewErr("a text in the payload is no JSON")
	}
	return types.String(s)
}

// unquote returns what a JSON string says.
func unquote(text []byte) (string, bool) {
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return "", false
	}
	inner := text[1 : len(text)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner), true
	}
	var s string
	err := json.Unmarshal(text, &s)
	return s, err == nil
}

// jsonNumber keeps whole numbers exact or fails.
func jsonNumber(text []byte) ref.Val {
	if bytes.ContainsAny(text, ".eE") {
		if f, err := strconv.ParseFloat(string(text), 64); err == nil {
			return types.Double(f)
		}
		return types.NewErr("%s is no number that fits 64 bits", clip(text))
	}
	if i, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		if i == 0 && text[0] == '-' {
			return types.Double(0) // -0
		}
		return types.Int(i)
	}
	if u, err := strconv.ParseUint(string(text), 10, 64); err == nil {
		return types.Uint(u)
	}
	return types.NewErr("%s is no whole number of 64 bits: compare it as text in the script", clip(text))
}

func clip(text []byte) string {
	const most = 40
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

func jsonList(text []byte) ref.Val {
	var elements []ref.Val
	rest, ok := eachElement(text, func(element []byte) { elements = append(elements, jsonValue(element)) })
	if !ok || len(rest) > 0 {
		return types.NewErr("a list in the payload is no JSON")
	}
	return types.NewRefValList(types.DefaultTypeAdapter, elements)
}

// member is one key of an object. Its value is converted once, since a loop may ask for it
// as often as it likes and pays for the question only.
type member struct {
	key   []byte // with its quotes
	text  []byte
	value ref.Val // nil until it is asked for
}

func (m *member) get() ref.Val {
	if m.value == nil {
		m.value = jsonValue(m.text)
	}
	return m.value
}

// jsonObject is a JSON object as a CEL map. Its members are found on the first question,
// their values converted when they are asked for. Of equal keys the last counts.
type jsonObject struct {
	text    []byte
	members []member
	indexed bool
	broken  bool
	full    traits.Mapper // all members, once something needs them together
}

// Find returns the value of a key.
func (o *jsonObject) Find(key ref.Val) (ref.Val, bool) {
	name, ok := key.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(key), false
	}
	if o.index(); o.broken {
		return types.NewErr("the payload is no JSON"), false
	}
	for i := len(o.members) - 1; i >= 0; i-- {
		if o.members[i].is(string(name)) {
			return o.members[i].get(), true
		}
	}
	return nil, false
}

// Get is Find with an error value for a key that is not there.
func (o *jsonObject) Get(key ref.Val) ref.Val {
	value, ok := o.Find(key)
	switch {
	case ok || value != nil:
		return value
	default:
		return types.NewErr("no such key: %v", key)
	}
}

// Contains says whether there is a key.
func (o *jsonObject) Contains(key ref.Val) ref.Val {
	value, ok := o.Find(key)
	if !ok && value != nil {
		return value
	}
	return types.Bool(ok)
}

func (m *member) is(name string) bool {
	if inner := m.key[1 : len(m.key)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner) == name
	}
	key, ok := unquote(m.key)
	return ok && key == name
}

func (o *jsonObject) index() {
	if o.indexed {
		return
	}
	o.indexed = true
	if cap(o.members) == 0 {
		o.members = make([]member, 0, 8)
	}
	rest, ok := eachMember(o.text, func(key, value []byte) { o.members = append(o.members, member{key: key, text: value}) })
	o.broken = !ok || len(rest) > 0
}

// all is the object as an ordinary CEL map.
func (o *jsonObject) all() traits.Mapper {
	if o.full == nil {
		o.index()
		values := make(map[string]any, len(o.members))
		for i := range o.members {
			if key, ok := unquote(o.members[i].key); ok {
				values[key] = o.members[i].get()
			}
		}
		o.full = types.NewStringInterfaceMap(types.DefaultTypeAdapter, values)
	}
	return o.full
}

// The rest of a CEL map, by way of the ordinary one.

// ConvertToNative is for the evaluator.
func (o *jsonObject) ConvertToNative(t reflect.Type) (any, error) {
	if o.index(); o.broken {
		return nil, fmt.Errorf("pipeline: the payload is no JSON")
	}
	return o.all().ConvertToNative(t)
}

// ConvertToType is for the evaluator.
func (o *jsonObject) ConvertToType(t ref.Type) ref.Val { return o.all().ConvertToType(t) }

// Equal compares with another map.
func (o *jsonObject) Equal(other ref.Val) ref.Val { return o.all().Equal(other) }

// Type is map.
func (o *jsonObject) Type() ref.Type { return types.MapType }

// Value is the object as a Go map of CEL values.
func (o *jsonObject) Value() any { return o.all().Value() }

// Iterator yields the keys.
func (o *jsonObject) Iterator() traits.Iterator { return o.all().Iterator() }

// Size is the number of keys.
func (o *jsonObject) Size() ref.Val { return o.all().Size() }
