package pipeline

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/leat-run/leat/runtime"
)

// View is a message as expressions see it. The payload is looked at when the first
// expression asks for it, and only as far as it asks, however many expressions there are.
// It belongs to one goroutine.
type View struct {
	Message               runtime.Message
	constants, parameters map[string]any
	payload               ref.Val
	object                jsonObject // the payload's place where it is an object: saves an allocation
	own                   string     // a Filter's own object, "" for none
	values                map[string]any
}

// NewView makes a view of m beside the constants and parameters of its plan. It keeps
// references to all three and changes none.
func NewView(constants, parameters map[string]any, m runtime.Message) *View {
	return &View{Message: m, constants: constants, parameters: parameters}
}

// Reset turns the view to another message of the same plan and keeps its memory.
func (v *View) Reset(m runtime.Message) {
	v.Message, v.payload = m, nil
	v.object = jsonObject{members: v.object.members[:0]}
}

// ResolveName is for the evaluator.
func (v *View) ResolveName(name string) (any, bool) {
	switch name {
	case "payload":
		if v.payload == nil {
			v.payload = v.root()
		}
		return v.payload, true
	case "meta":
		return types.NewStringStringMap(types.DefaultTypeAdapter, v.Message.Meta), true
	case "constants":
		return types.NewStringInterfaceMap(types.DefaultTypeAdapter, v.constants), true
	case "parameters":
		return types.NewStringInterfaceMap(types.DefaultTypeAdapter, v.parameters), true
	}
	if v.own != "" && name == v.own {
		return types.NewStringInterfaceMap(types.DefaultTypeAdapter, v.values), true
	}
	return nil, false
}

// Parent is for the evaluator.
func (v *View) Parent() cel.Activation { return nil }

func (v *View) root() ref.Val {
	if v.Message.Codec != "json" && v.Message.Codec != "" {
		return types.Bytes(v.Message.Payload)
	}
	text := trimSpace(v.Message.Payload)
	if len(text) > 0 && text[0] == '{' {
		v.object = jsonObject{text: text, members: v.object.members[:0]}
		return &v.object
	}
	return jsonValue(text)
}
