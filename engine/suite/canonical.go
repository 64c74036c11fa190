package suite

import (
	"bytes"
	"encoding/json"
	"io"
	"math/big"
	"strings"
)

// canonicalList renders a list of JSON values for comparison and for reading: indented, keys
// sorted, equal numbers written alike. What is no JSON stands as it is.
func canonicalList(values []json.RawMessage) string {
	var out strings.Builder
	for _, text := range values {
		v, ok := decodeJSON(text)
		if !ok {
			out.WriteString("- " + string(text) + "\n")
			continue
		}
		out.WriteString("- " + strings.ReplaceAll(indented(canonical(v)), "\n", "\n  ") + "\n")
	}
	return out.String()
}

// decodeJSON keeps numbers as they are written.
func decodeJSON(text []byte) (v any, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&v) != nil {
		return nil, false
	}
	_, err := decoder.Token()
	return v, err == io.EOF
}

func canonical(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = canonical(v[name])
		}
	case []any:
		for i := range v {
			v[i] = canonical(v[i])
		}
	case json.Number:
		return canonicalNumber(v)
	}
	return v
}

// longestNumber bounds the digits that a number is written out to: 1e999999999 stays as it is.
const longestNumber = 400

// canonicalNumber writes numbers of equal value alike, exactly: 1, 1.0 and 10e-1 are 1.
func canonicalNumber(n json.Number) json.Number {
	text := strings.ToLower(n.String())
	mantissa, exponent, _ := strings.Cut(text, "e")
	if len(mantissa) > longestNumber || len(strings.TrimLeft(exponent, "+-0")) > 2 {
		return n
	}
	value, ok := new(big.Rat).SetString(text)
	if !ok {
		return n
	}
	if value.IsInt() {
		return json.Number(value.Num().String())
	}
	return json.Number(strings.TrimRight(value.FloatString(longestNumber+100), "0"))
}

// indented renders a value over several lines, sorted by key.
func indented(v any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		panic("suite: a decoded JSON value can be written: " + err.Error())
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// encoded is a plain value as JSON on one line.
func encoded(v any) json.RawMessage {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic("suite: texts and annotations can be written: " + err.Error())
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}

// projectEach leaves of each value what the pattern at its place names; what has no pattern
// stays whole.
func projectEach(patterns, values []json.RawMessage) []json.RawMessage {
	out := make([]json.RawMessage, len(values))
	for i, text := range values {
		out[i] = text
		if i >= len(patterns) {
			continue
		}
		pattern, ok1 := decodeJSON(patterns[i])
		value, ok2 := decodeJSON(text)
		if ok1 && ok2 {
			out[i] = encoded(project(pattern, value))
		}
	}
	return out
}

// project leaves of a value the members that the pattern names, at every depth; arrays are
// taken element by element.
func project(pattern, value any) any {
	switch p := pattern.(type) {
	case map[string]any:
		object, ok := value.(map[string]any)
		if !ok {
			return value
		}
		out := map[string]any{}
		for name := range p {
			if member, ok := object[name]; ok {
				out[name] = project(p[name], member)
			}
		}
		return out
	case []any:
		array, ok := value.([]any)
		if !ok {
			return value
		}
		out := make([]any, len(array))
		for i := range array {
			out[i] = array[i]
			if i < len(p) {
				out[i] = project(p[i], array[i])
			}
		}
		return out
	default:
		return value
	}
}
