package inbound

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/leat-run/leat/engine/pipeline/document"
)

// JSON reads body, which is one JSON value, into what into points to: like encoding/json, but
// that a key which into does not have is an error, a *KeyError, and that a whole value of null is
// one: it would mean whatever into holds, which no request can. into is then as it was.
func JSON(body io.Reader, into any) error {
	var text json.RawMessage
	in := json.NewDecoder(body)
	if err := in.Decode(&text); err != nil {
		return err
	}
	if _, err := in.Token(); err == nil {
		return errors.New("something follows the JSON value")
	} else if !errors.Is(err, io.EOF) {
		return fmt.Errorf("something follows the JSON value: %w", err)
	}
	if string(text) == "null" {
		return errors.New("the JSON value is null: write an object")
	}
	if err := checkKeys("", text, reflect.TypeOf(into)); err != nil {
		return err
	}
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields() // of a key that is there twice, checkKeys sees the last
	var wrong *json.UnmarshalTypeError
	if err := strict.Decode(into); !errors.As(err, &wrong) {
		return err
	}
	return fmt.Errorf("%s: a JSON %s does not belong there", cmp.Or(wrong.Field, "the whole body"), wrong.Value)
}

// KeyError is a name that a request does not take.
type KeyError struct {
	Key  string
	Path string // of the object that has it, such as records[2]; "" is the whole body
	Hint string // the nearest that there is, or a few that there are
}

// Error has all three.
func (e *KeyError) Error() string {
	text := fmt.Sprintf("unknown key %q", e.Key)
	if e.Path != "" {
		text += " at " + e.Path
	}
	if e.Hint != "" {
		text += ": " + e.Hint
	}
	return text
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// checkKeys compares the objects of a JSON text with the structs that they are read into. Where
// text is not of the type's form there is nothing to compare: encoding/json says what is wrong.
func checkKeys(path string, text json.RawMessage, t reflect.Type) error {
	if t.Implements(unmarshaler) || reflect.PointerTo(t).Implements(unmarshaler) {
		return nil // it reads its own
	}
	switch t.Kind() {
	case reflect.Pointer:
		return checkKeys(path, text, t.Elem())
	case reflect.Struct:
		return checkObject(path, text, t)
	case reflect.Slice, reflect.Array:
		return checkElements(path, text, t.Elem())
	}
	return nil
}

func checkObject(path string, text json.RawMessage, t reflect.Type) error {
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil {
		return nil
	}
	fields := fieldsOf(t)
	for _, key := range slices.Sorted(maps.Keys(object)) {
		at := slices.IndexFunc(fields, func(f field) bool { return strings.EqualFold(f.name, key) }) // as encoding/json does
		if at < 0 {
			return &KeyError{Key: key, Path: path, Hint: document.DidYouMean(key, named(fields))}
		}
		if err := checkKeys(below(path, key), object[key], fields[at].is); err != nil {
			return err
		}
	}
	return nil
}

func checkElements(path string, text json.RawMessage, t reflect.Type) error {
	if k := t.Kind(); k != reflect.Struct && k != reflect.Pointer && k != reflect.Slice {
		return nil // no object below: bytes are not taken apart
	}
	var list []json.RawMessage
	if json.Unmarshal(text, &list) != nil {
		return nil
	}
	for i := range list {
		if err := checkKeys(fmt.Sprintf("%s[%d]", path, i), list[i], t); err != nil {
			return err
		}
	}
	return nil
}

func below(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// field is a key of an object: its name in JSON, and what it is read into.
type field struct {
	name string
	is   reflect.Type
}

// fieldsOf are the keys of a struct. What it embeds has its keys in the same object, after its own.
func fieldsOf(t reflect.Type) (fields []field) {
	var embedded []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			embedded = append(embedded, fieldsOf(f.Type)...)
		case name == "":
			fields = append(fields, field{f.Name, f.Type})
		default:
			fields = append(fields, field{name, f.Type})
		}
	}
	return append(fields, embedded...)
}

func named(fields []field) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, f := range fields {
			if !yield(f.name) {
				return
			}
		}
	}
}
