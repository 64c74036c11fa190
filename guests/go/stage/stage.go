// Package stage lets the guest of a causal stage be written in plain Go: a fold with a state per key,
// or a handler without one.
//
//	func init() { stage.Fold(fulfil) }
//
//	func main() {} // never runs: the module is a reactor
//
//	func fulfil(o *order, r stage.Record) (*order, []stage.Emission, error) {
//		...
//		return o, nil, nil
//	}
//
// It is built as a transform is (package leat), whose Log, Now and Config it may use, too.
package stage

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// Record is a record of a topic, which is delivered after every cause of it that the stage reads.
type Record struct {
	Topic     string           `json:"topic"`
	Partition int32            `json:"partition"`
	Offset    int64            `json:"offset"`
	Timestamp int64            `json:"timestamp"` // in milliseconds since 1970
	Key       Bytes            `json:"key"`
	Value     json.RawMessage  `json:"value"` // JSON, as the input's decoder made it
	Headers   map[string]Bytes `json:"headers"`
}

// Decode reads the value into v, as json.Unmarshal does.
func (r Record) Decode(v any) error { return json.Unmarshal(r.Value, v) }

// Emission is a record to append to one of the stage's outputs.
type Emission struct {
	To      string           `json:"to"`            // the topic
	Key     Bytes            `json:"key,omitempty"` // none is that of the record at hand
	Value   any              `json:"value"`         // as encoding/json writes it
	Headers map[string]Bytes `json:"headers,omitempty"`
}

// Emit is a single emission with the key of the record at hand.
func Emit(to string, value any) []Emission { return []Emission{{To: to, Value: value}} }

// Bytes are a key or a header; nil is null.
type Bytes []byte

// MarshalJSON writes text where the bytes are UTF-8, {"base64": "..."} where not.
func (b Bytes) MarshalJSON() ([]byte, error) {
	switch {
	case b == nil:
		return []byte("null"), nil
	case utf8.Valid(b):
		return json.Marshal(string(b))
	default:
		return json.Marshal(map[string]string{"base64": base64.StdEncoding.EncodeToString(b)})
	}
}

// UnmarshalJSON reads what MarshalJSON writes.
func (b *Bytes) UnmarshalJSON(text []byte) error {
	switch {
	case string(text) == "null":
		*b = nil
		return nil
	case len(text) > 0 && text[0] == '"':
		var s string
		err := json.Unmarshal(text, &s)
		*b = Bytes(s)
		return err
	}
	var wrapped struct {
		Base64 []byte `json:"base64"`
	}
	err := json.Unmarshal(text, &wrapped)
	*b = wrapped.Base64
	return err
}

// Fold sets the module's fold. f is given the state of the record's key, nil where there is none, and
// returns the new one, nil to delete it. An error or a panic is a failure, as in a transform. Call
// it once, from init.
func Fold[S any](f func(state *S, r Record) (*S, []Emission, error)) {
	fold = func(call []byte) ([]byte, error) {
		var in struct {
			State *S     `json:"state"`
			Msg   Record `json:"msg"`
		}
		if err := json.Unmarshal(call, &in); err != nil {
			return nil, err
		}
		state, emit, err := f(in.State, in.Msg)
		if err != nil {
			return nil, err
		}
		return json.Marshal(struct {
			State *S         `json:"state"`
			Emit  []Emission `json:"emit,omitempty"`
		}{state, emit})
	}
}

// Handle sets the module's handler. Call it once, from init.
func Handle(f func(r Record) ([]Emission, error)) {
	handle = func(call []byte) ([]byte, error) {
		var in struct {
			Msg Record `json:"msg"`
		}
		if err := json.Unmarshal(call, &in); err != nil {
			return nil, err
		}
		emit, err := f(in.Msg)
		if err != nil {
			return nil, err
		}
		if emit == nil {
			emit = []Emission{}
		}
		return json.Marshal(emit)
	}
}

// entry turns a call's JSON into the answer's.
type entry func(call []byte) (answer []byte, err error)

var (
	fold   entry = missing("fold")
	handle entry = missing("handle")
)

func missing(name string) entry {
	return func([]byte) ([]byte, error) { return nil, errors.New("the module sets no " + name) }
}
