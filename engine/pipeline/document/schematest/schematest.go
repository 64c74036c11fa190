// Package schematest checks YAML documents against the JSON Schemas that package document
// writes, so that tests can hold a schema to its loader. It knows the keywords that
// document.Schema uses and panics on any other, so that none is passed over.
package schematest

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"
)

// Check returns what the schema has against the document, "" if nothing. The schema is a
// decoded JSON text.
func Check(schema map[string]any, text []byte) string {
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil {
		return err.Error()
	}
	return check(schema, named(value), "$")
}

// named turns every key and time into text, as the loader does.
func named(v any) any {
	switch v := v.(type) {
	case time.Time:
		return v.Format(time.RFC3339) // a text to editors
	case map[any]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			name := fmt.Sprint(key)
			if key == nil {
				name = "null"
			}
			out[name] = named(value)
		}
		return out
	case map[string]any:
		for key, value := range v {
			v[key] = named(value)
		}
	case []any:
		for i := range v {
			v[i] = named(v[i])
		}
	}
	return v
}

func check(schema map[string]any, v any, at string) string {
	for _, keyword := range slices.Sorted(maps.Keys(schema)) {
		if problem := keywordCheck(schema, keyword, v, at); problem != "" {
			return problem
		}
	}
	return ""
}

func keywordCheck(schema map[string]any, keyword string, v any, at string) string {
	want := schema[keyword]
	object, isObject := v.(map[string]any)
	array, isArray := v.([]any)
	text, isText := v.(string)
	number, isNumber := asNumber(v)
	bad := func(ok bool) string {
		if ok {
			return ""
		}
		return fmt.Sprintf("%s: %v breaks %s: %v", at, v, keyword, want)
	}
	switch keyword {
	case "$schema", "title", "description", "default":
		return ""
	case "type":
		return bad(typeMatches(want, v))
	case "enum":
		return bad(slices.ContainsFunc(want.([]any), func(e any) bool { return e == v }))
	case "const":
		return bad(isNumber && number == want.(float64) || reflect.DeepEqual(v, want))
	case "pattern":
		return bad(!isText || regexp.MustCompile(want.(string)).MatchString(text))
	case "minLength":
		return bad(!isText || len(text) >= int(want.(float64)))
	case "minimum":
		return bad(!isNumber || number >= want.(float64))
	case "maximum":
		return bad(!isNumber || number <= want.(float64))
	case "minProperties":
		return bad(!isObject || len(object) >= int(want.(float64)))
	case "uniqueItems":
		return bad(!isArray || unique(array))
	case "required":
		for _, name := range want.([]any) {
			if _, ok := object[name.(string)]; isObject && !ok {
				return bad(false)
			}
		}
	case "properties", "additionalProperties", "propertyNames":
		return checkObject(schema, keyword, object, at)
	case "items":
		for i, element := range array {
			if problem := check(want.(map[string]any), element, fmt.Sprintf("%s[%d]", at, i)); problem != "" {
				return problem
			}
		}
	case "anyOf", "oneOf":
		n := 0
		for _, branch := range want.([]any) {
			if check(branch.(map[string]any), v, at) == "" {
				n++
			}
		}
		return bad(n == 1 || n > 1 && keyword == "anyOf" || keyword == "oneOf" && !isObject)
	default:
		panic("schematest: no such keyword: " + keyword)
	}
	return ""
}

func checkObject(schema map[string]any, keyword string, object map[string]any, at string) string {
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		var inner map[string]any
		value := object[name]
		property, known := properties[name].(map[string]any)
		switch more, isSchema := schema["additionalProperties"].(map[string]any); {
		case keyword == "propertyNames":
			inner, value = schema["propertyNames"].(map[string]any), name
		case keyword == "properties" && known:
			inner = property
		case keyword == "additionalProperties" && !known && isSchema:
			inner = more
		case keyword == "additionalProperties" && !known:
			return fmt.Sprintf("%s has no key %q", at, name)
		default:
			continue
		}
		if problem := check(inner, value, at+"."+name); problem != "" {
			return problem
		}
	}
	return ""
}

func typeMatches(want, v any) bool {
	if list, ok := want.([]any); ok {
		return slices.ContainsFunc(list, func(one any) bool { return typeMatches(one, v) })
	}
	number, isNumber := asNumber(v)
	switch want {
	case "object":
		_, ok := v.(map[string]any)
		return ok
	case "array":
		_, ok := v.([]any)
		return ok
	case "string":
		_, ok := v.(string)
		return ok
	case "boolean":
		_, ok := v.(bool)
		return ok
	case "integer":
		return isNumber && number == math.Trunc(number)
	case "null":
		return v == nil
	default:
		panic(fmt.Sprintf("schematest: no such type: %v", want))
	}
}

func asNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	default:
		return 0, false
	}
}

func unique(all []any) bool {
	for i := range all {
		if slices.ContainsFunc(all[:i], func(e any) bool { return reflect.DeepEqual(e, all[i]) }) {
			return false
		}
	}
	return true
}
