package document

import (
	"maps"
	"slices"
	"time"
)

// SchemaDialect is the version of JSON Schema that Schema writes.
const SchemaDialect = "https://json-schema.org/draft/2020-12/schema"

// Schema returns the shape as a JSON Schema of draft 2020-12, for editors: every key with
// its type, default, bounds and sentence. What it rejects the reader rejects; the
// reader looks further (names that must exist, expressions, duplicates).
func Schema(s *Shape, title string) map[string]any {
	out := shapeSchema(s)
	out["$schema"], out["title"], out["type"] = SchemaDialect, title, "object"
	return out
}

func shapeSchema(s *Shape) map[string]any {
	properties := map[string]any{}
	var required []string
	for _, f := range s.Fields {
		properties[f.Name] = fieldSchema(f)
		if f.Required {
			required = append(required, f.Name)
		}
	}
	out := map[string]any{"type": []string{"object", "null"}, "properties": properties, "additionalProperties": false}
	if s.Doc != "" {
		out["description"] = s.Doc
	}
	if len(required) > 0 {
		out["required"] = required
		out["type"] = "object"
	}
	if len(s.Choices) > 0 {
		var one []any
		for _, name := range slices.Sorted(maps.Keys(s.Choices)) {
			properties[name] = shapeSchema(s.Choices[name])
			one = append(one, map[string]any{"required": []string{name}})
		}
		out["oneOf"] = one
	}
	return out
}

func fieldSchema(f Field) map[string]any {
	out := typeSchema(f)
	if f.Doc != "" {
		out["description"] = f.Doc
	}
	switch def := f.Default.(type) {
	case nil:
	case time.Duration:
		out["default"] = FormatDuration(def)
	case int64:
		out["default"] = def
		if f.Type == Size {
			out["default"] = FormatSizeBase(def, 10)
		}
	default:
		out["default"] = def
	}
	return out
}

func typeSchema(f Field) map[string]any {
	switch f.Type {
	case Mapping:
		return shapeSchema(f.Shape)
	case Named:
		return map[string]any{
			"type":          []string{"object", "null"},
			"propertyNames": map[string]any{"pattern": NamePattern}, "additionalProperties": shapeSchema(f.Shape),
		}
	case Edges:
		options := shapeSchema(f.Shape)
		return map[string]any{"type": "array", "items": anyOf(
			map[string]any{"type": "string"},
			map[string]any{"type": "object", "minProperties": 1, "additionalProperties": options},
		)}
	case Mappings:
		return map[string]any{"type": "array", "items": shapeSchema(f.Shape)}
	case Strings:
		return map[string]any{"type": "array", "items": scalarSchema(Field{Type: String, Enum: f.Enum}), "uniqueItems": true}
	case Values:
		return map[string]any{"type": []string{"object", "null"}, "propertyNames": map[string]any{"pattern": NamePattern}}
	case JSON:
		return map[string]any{}
	default:
		return scalarSchema(f)
	}
}

// reference is what a single value may be besides: a text with ${...} in it.
var reference = map[string]any{"type": "string", "pattern": `\$\{`}

func anyOf(schemas ...any) map[string]any { return map[string]any{"anyOf": schemas} }

func scalarSchema(f Field) map[string]any {
	text := func(pattern string) map[string]any { return map[string]any{"type": "string", "pattern": pattern} }
	switch f.Type {
	case Bool:
		return anyOf(map[string]any{"type": "boolean"}, reference)
	case Int:
		number := map[string]any{"type": "integer"}
		if f.Min != 0 || f.Max != 0 {
			number["minimum"], number["maximum"] = f.Min, f.Max
		}
		return anyOf(number, text(`^[+-]?[0-9]+(_[0-9]+)*$`), reference)
	case Size:
		return anyOf(text(`^[0-9]+(_[0-9]+)*\s*(B|KiB|MiB|GiB|TiB)$`), map[string]any{"const": 0}, reference)
	case Duration:
		return anyOf(text(`^[+-]?([0-9_]+(\.[0-9_]*)?(ns|us|µs|μs|ms|s|m|h))+$`), map[string]any{"const": 0}, reference)
	case Name:
		return anyOf(text(NamePattern), reference)
	case Expression:
		return map[string]any{"type": "string", "minLength": 1}
	default:
		if len(f.Enum) > 0 {
			return anyOf(map[string]any{"enum": f.Enum}, reference)
		}
		return map[string]any{"type": "string"}
	}
}
