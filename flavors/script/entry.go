package script

import (
	"github.com/dop251/goja"

	"github.com/leat-run/leat/runtime"
)

// The entry points of causal stages (runtime.Entry): fold(state, msg, ctx) and handle(msg, ctx).

// arguments are views of the call's members.
func (in *instance) arguments(m runtime.Message) []goja.Value {
	doc := in.open(m.Payload)
	names := []string{"msg"}
	if in.module.code.Entry == runtime.EntryFold {
		names = []string{"state", "msg"}
	}
	args := make([]goja.Value, 0, len(names)+1)
	for _, name := range names {
		value := goja.Null()
		if at := doc.find(0, name); at != 0 {
			value = doc.value(at)
		}
		args = append(args, value)
	}
	return append(args, in.ctx)
}

// answer makes the one output of what the function returned. null says that it was null.
func (in *instance) answer(in0 runtime.Message, returned goja.Value) (out []runtime.Message, null bool) {
	value := in.settled(returned)
	switch {
	case goja.IsNull(value):
		return nil, true
	case goja.IsUndefined(value):
		panic(badOutput("the script returned nothing (undefined)", in.answerHint()))
	}
	message := in0
	in.setPayload(&message, value)
	return []runtime.Message{message}, false
}

func (in *instance) answerHint() string {
	if in.module.code.Entry == runtime.EntryFold {
		return `return {state, emit: [{to: "topic", value}]}, or null to delete the state`
	}
	return `return [{to: "topic", value}], or null for nothing`
}

// missingEntry says how the function that is not there would be written.
func (m *module) missingEntry() (message, hint string) {
	function := m.entryNames()[0]
	switch m.code.Entry {
	case runtime.EntryFold:
		return "the script has no fold: it exports no function " + function, "write: export function " + function + `(state, msg) { return {state, emit: []} }`
	case runtime.EntryHandle:
		return "the script has no handler: it exports no function " + function, "write: export function " + function + `(msg) { return [{to: "topic", value: msg.value}] }`
	default:
		return "the script has no transform: it exports no function " + function, "write: export default function (msg) { return msg }"
	}
}
