package runtime

// Entry says which of a guest's functions is called, what it is given and what it returns.
// A flavor looks for the function where it looks for a transform, under the entry's own name
// unless Code.Function names another; one that is not there is a *Failure of KindCompile whose
// hint lists the functions that are.
//
// The functions of a causal stage take and return JSON. For them Message.Payload (Codec "json")
// is one object, the call:
//
//	{"state": S, "msg": {"topic": "orders", "partition": 0, "offset": 17, "timestamp": 1700000000000,
//	                     "key": K, "value": V, "headers": {"name": K, ...}}}
//
// S is the state of the message's key, null at first; it is there for a fold only. timestamp is in
// milliseconds since 1970, UTC. V is the decoded value, null for a record without one. K is bytes: a
// string where they are UTF-8, {"base64": "..."} where they are not, null for null.
//
// A Result of theirs has one Out at most, whose Payload is one JSON text, the answer:
//
//	handle: an emission, or an array of emissions; no Out means none
//	fold:   {"state": S, "emit": [emission, ...]}; an S of null deletes the state. Result.Null (the guest
//	        said null) deletes it too, and emits nothing
//	emission: {"to": "shipments", "key": K, "value": V, "headers": {...}}; without a key it has that of the message
//
// The flavor sees to it that the answer is JSON within Budget.Output and Budget.Depth, with untouched
// values byte for byte. That it has this shape, and that "emit" keeps to Budget.Outputs, is checked by
// the stage. All other promises are those of a transform: budgets, kinds, usage, Spent, StateFresh, the
// clock (Message.Ingested is the record's timestamp) and the randomness (seeded by Message.ID, which is
// a function of the record's place).
//
// In a script the call's two members are the arguments, fold(state, msg) and handle(msg), with ctx after
// them; the answer is what the function returns, and undefined is a failure of KindOutput. In wasm the exports
// fold and handle have the signature of transform, (ptr i32, len i32) -> i32: the input is the call's bytes, and the one
// emit is the answer. A second emit is a failure of KindOutput, and so is a fold without any (the stage says so).
type Entry string

// The entries.
const (
	EntryTransform Entry = "" // transform(msg): messages in, messages out
	EntryHandle    Entry = "handle"
	EntryFold      Entry = "fold"
)

// EntryFunction is the name of the function that is looked for: the one that the code names, or the
// entry's own.
func (c Code) EntryFunction() string {
	switch {
	case c.Function != "":
		return c.Function
	case c.Entry == EntryTransform:
		return "transform"
	default:
		return string(c.Entry)
	}
}
