package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// jsonNumber is the grammar of a number in JSON.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// json writes the value under n as JSON text: keys in their order, numbers as they are written.
// False after reporting what has no place in JSON.
func (r *Reader) json(n *yaml.Node, what string) (json.RawMessage, bool) {
	var out bytes.Buffer
	ok := r.writeJSON(&out, n, what)
	return out.Bytes(), ok
}

func (r *Reader) writeJSON(out *bytes.Buffer, n *yaml.Node, what string) bool {
	r.depth++
	defer func() { r.depth-- }()
	target := r.follow(n)
	if target == nil {
		return false
	}
	switch target.Kind {
	case yaml.MappingNode:
		return r.writeObject(out, target, what)
	case yaml.SequenceNode:
		return r.writeArray(out, target, what)
	default:
		text, bad := jsonScalar(target)
		if bad != nil {
			r.fault(r.place(n), what, bad)
		}
		out.WriteString(text)
		return bad == nil
	}
}

func (r *Reader) writeObject(out *bytes.Buffer, n *yaml.Node, what string) bool {
	ok := true
	out.WriteByte('{')
	for i, p := range r.pairs(n, what) {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(jsonString(p.name) + ":")
		ok = r.writeJSON(out, p.value, what+"."+clip(p.name)) && ok
	}
	out.WriteByte('}')
	return ok
}

func (r *Reader) writeArray(out *bytes.Buffer, n *yaml.Node, what string) bool {
	ok := true
	out.WriteByte('[')
	for i, element := range n.Content {
		if i > 0 {
			out.WriteByte(',')
		}
		ok = r.writeJSON(out, element, fmt.Sprintf("%s[%d]", what, i)) && ok
	}
	out.WriteByte(']')
	return ok
}

// jsonScalar is one value as JSON text.
func jsonScalar(n *yaml.Node) (string, *fault) {
	s := scalar{text: n.Value, tag: n.ShortTag()}
	switch s.tag {
	case "!!null":
		return "null", nil
	case "!!bool":
		return strings.ToLower(s.text), nil
	case "!!int", "!!float":
		if text := strings.ReplaceAll(s.text, "_", ""); jsonNumber.MatchString(text) {
			return text, nil
		}
		return "", &fault{"wrong-type", fmt.Sprintf("%s is no number of JSON", clip(s.text)), "write digits, or put it into quotes to keep it as text"}
	case "!!str", "!!timestamp":
		return jsonString(s.text), nil
	default:
		return "", &fault{"wrong-type", fmt.Sprintf("values of type %s are not supported", s.tag), "put it into quotes to keep it as text"}
	}
}

func jsonString(text string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		panic("document: a text is always JSON: " + err.Error())
	}
	return strings.TrimSuffix(out.String(), "\n")
}
