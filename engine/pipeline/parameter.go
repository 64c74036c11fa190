package pipeline

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// parameterLike reads a given text as a value of the type of the default; a list or mapping is JSON. What
// a document could not hold (a number that is not finite, one beyond 64 bits) is none.
func parameterLike(def any, text string) (any, bool) {
	switch def.(type) {
	case int64:
		value, err := strconv.ParseInt(text, 10, 64)
		return value, err == nil
	case float64:
		return finite(text)
	case bool:
		value, err := strconv.ParseBool(text)
		return value, err == nil
	case []any, map[string]any:
		if !json.Valid([]byte(text)) {
			return nil, false
		}
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var value any
		if decoder.Decode(&value) != nil || reflect.TypeOf(value) != reflect.TypeOf(def) {
			return nil, false
		}
		return documentValue(value)
	default:
		return text, true
	}
}

// finite reads a double.
func finite(text string) (any, bool) {
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
}

// documentValue turns the numbers of a decoded JSON value into those of a document: int64 where they are
// whole, else float64.
func documentValue(value any) (any, bool) {
	ok := true
	take := func(v any) any {
		out, fits := documentValue(v)
		ok = ok && fits
		return out
	}
	switch value := value.(type) {
	case json.Number:
		if strings.ContainsAny(value.String(), ".eE") {
			return finite(value.String())
		}
		whole, err := value.Int64()
		return whole, err == nil
	case []any:
		for i := range value {
			value[i] = take(value[i])
		}
	case map[string]any:
		for name := range value {
			value[name] = take(value[name])
		}
	}
	return value, ok
}
