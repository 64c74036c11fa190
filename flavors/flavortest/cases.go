package flavortest

import (
	"strings"
	"time"

	"github.com/leat-run/leat/runtime"
)

// Case is one message and what must come of it.
type Case struct {
	Name    string
	Payload string
	Want    []string       // outputs; nil filters
	Kinds   []runtime.Kind // the allowed kinds of failure; nil: none may happen
	Text    string         // part of the failure's message
	Spent   bool           // the instance must be replaced afterwards
	Flavors []string       // those that can have the case; nil: all
}

// Budget returns the limits of the suite: small, so that every case ends soon.
func Budget(defaults runtime.Budget) runtime.Budget {
	b := defaults
	b.Fuel /= 100
	b.Timeout = 5 * time.Second
	b.Memory = 16 << 20
	b.Input = 256 << 10
	b.Output = 64 << 10
	b.Outputs = 100
	b.Depth = 64
	return b
}

const fine = `{"do":"identity", "n":9007199254740993, "f":[1.0,-0,1e3], "b":1,"1":2,"b":3, "s":"\u00e9\/ é"}`

// Cases returns the suite.
func Cases() []Case {
	failed := func(kinds ...runtime.Kind) []runtime.Kind { return kinds }
	return []Case{
		{Name: "identity keeps every byte", Payload: fine, Want: []string{fine}},
		{Name: "filter", Payload: `{"do":"filter"}`},
		{Name: "two outputs in order", Payload: `{"do":"twice"}`, Want: []string{`{"n":1}`, `{"n":2}`}},
		{Name: "the message's id", Payload: `{"do":"id"}`, Want: []string{`{"id":"message-1"}`}},
		{Name: "the guest fails", Payload: `{"do":"fail"}`, Kinds: failed(runtime.KindGuest), Text: "boom: the order is wrong"},
		{Name: "a failure takes the outputs along", Payload: `{"do":"emit, then fail"}`,
			Kinds: failed(runtime.KindGuest), Text: "boom at the end"},
		{Name: "endless loop", Payload: `{"do":"loop"}`, Kinds: failed(runtime.KindFuel, runtime.KindTimeout), Spent: true},
		{Name: "endless recursion", Payload: `{"do":"recurse"}`, Kinds: failed(runtime.KindStack), Spent: true},
		{Name: "endless memory", Payload: `{"do":"hoard"}`,
			Kinds: failed(runtime.KindMemory, runtime.KindFuel), Spent: true},
		{Name: "too many outputs", Payload: `{"do":"many"}`, Kinds: failed(runtime.KindOutput)},
		{Name: "too large an output", Payload: `{"do":"large"}`, Kinds: failed(runtime.KindOutput)},
		{Name: "what comes back is no message", Payload: `{"do":"no message"}`, Kinds: failed(runtime.KindOutput)},
		{Name: "too large an input", Payload: `{"do":"identity","s":"` + strings.Repeat("x", 300<<10) + `"}`,
			Kinds: failed(runtime.KindInput)},
		{Name: "too deep an input", Payload: `{"do":"identity","a":` + strings.Repeat("[", 80) + strings.Repeat("]", 80) + `}`,
			Kinds: failed(runtime.KindInput)},
		{Name: "trap", Payload: `{"do":"trap"}`, Kinds: failed(runtime.KindRuntime), Spent: true, Flavors: []string{"wasm"}},
		{Name: "bad pointer", Payload: `{"do":"bad pointer"}`, Kinds: failed(runtime.KindOutput), Flavors: []string{"wasm"}},
		{Name: "bad key", Payload: `{"do":"bad key"}`, Kinds: failed(runtime.KindOutput), Text: "meta_get key", Flavors: []string{"wasm"}},
		{Name: "a buffer that is not there", Payload: `{"do":"bad buffer"}`, Kinds: failed(runtime.KindOutput), Text: "meta_get buffer", Flavors: []string{"wasm"}},
		{Name: "a buffer for what there is not", Payload: `{"do":"bad buffer, no value"}`, Kinds: failed(runtime.KindOutput), Text: "meta_get buffer", Flavors: []string{"wasm"}},
		{Name: "a buffer that ends too late", Payload: `{"do":"bad capacity"}`, Kinds: failed(runtime.KindOutput), Text: "config buffer", Flavors: []string{"wasm"}},
		{Name: "a buffer too short and not there", Payload: `{"do":"bad buffer, short"}`, Kinds: failed(runtime.KindOutput), Text: "config buffer", Flavors: []string{"wasm"}},
		{Name: "only the lengths", Payload: `{"do":"lengths"}`, Want: []string{`[9,-1,32]`}, Flavors: []string{"wasm"}},
	}
}
