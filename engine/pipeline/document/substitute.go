package document

import (
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
)

// Variables is what ${...} can name.
type Variables struct {
	// Env looks up an environment variable; nil has none.
	Env func(string) (string, bool)
	// Constants and Parameters are the values of ${constants.x} and ${parameters.x}.
	Constants, Parameters map[string]any
}

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// expand replaces every ${...} of text, once. $${ stands for a literal ${.
func (v Variables) expand(text string) (string, *fault) {
	var out strings.Builder
	for {
		start := strings.Index(text, "${")
		if start < 0 {
			out.WriteString(text)
			return out.String(), nil
		}
		if start > 0 && text[start-1] == '$' {
			out.WriteString(text[:start-1] + "${")
			text = text[start+2:]
			continue
		}
		out.WriteString(text[:start])
		inner, rest, closed := strings.Cut(text[start+2:], "}")
		if !closed {
			return "", &fault{"bad-reference", "${ is not closed", "close it with }, or write $${ for the characters themselves"}
		}
		value, bad := v.lookup(inner)
		if bad != nil {
			return "", bad
		}
		out.WriteString(value)
		text = rest
	}
}

// lookup returns the value of what stands between the braces.
func (v Variables) lookup(inner string) (string, *fault) {
	if name, ok := strings.CutPrefix(inner, "constants."); ok {
		return lookupValue(v.Constants, "constants", name)
	}
	if name, ok := strings.CutPrefix(inner, "parameters."); ok {
		return lookupValue(v.Parameters, "parameters", name)
	}
	name, fallback, hasFallback := strings.Cut(inner, ":-")
	if !envName.MatchString(name) || strings.Contains(fallback, "${") {
		return "", &fault{"bad-reference", fmt.Sprintf("${%s} is no reference", clip(inner)),
			"${NAME}, ${NAME:-default}, ${constants.x} or ${parameters.x}; references do not nest"}
	}
	if v.Env != nil {
		if value, ok := v.Env(name); ok {
			return value, nil
		}
	}
	if hasFallback {
		return fallback, nil
	}
	return "", &fault{"unset-variable", fmt.Sprintf("the environment variable %s is not set", name),
		fmt.Sprintf("set it, or give a default: ${%s:-value}", name)}
}

func lookupValue(values map[string]any, group, name string) (string, *fault) {
	value, ok := values[name]
	if !ok {
		hint := DidYouMean(name, maps.Keys(values))
		if len(values) == 0 {
			hint = fmt.Sprintf("declare it under `%s:`", group)
		}
		return "", &fault{"unknown-reference", fmt.Sprintf("there is no %s.%s", group, clip(name)), hint}
	}
	switch value := value.(type) {
	case string:
		return value, nil
	case bool:
		return strconv.FormatBool(value), nil
	case int64:
		return strconv.FormatInt(value, 10), nil
	case float64:
		return strconv.FormatFloat(value, 'g', -1, 64), nil
	default:
		return "", &fault{"bad-reference", fmt.Sprintf("%s.%s is no single value", group, name), "only texts, numbers and true or false can be put into a value"}
	}
}
