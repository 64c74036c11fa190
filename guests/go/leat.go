// Package leat lets a transform be written in plain Go. It is the guest's side of ABI
// leat/1 (flavors/wasm/README.md) and owns everything about it.
//
//	package main
//
//	import leat "github.com/leat-run/leat/guests/go"
//
//	func init() { leat.Transform(upper) }
//
//	func main() {} // never runs: the module is a reactor
//
//	func upper(m leat.Message) ([]leat.Message, error) {
//		return leat.One(bytes.ToUpper(m.Payload)), nil
//	}
//
// Build it with
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o upper.wasm .
package leat

// Message is what a transform is given and what it returns.
type Message struct {
	// Payload is the message's bytes, JSON text unless the source decodes raw. The input's
	// is valid until the transform returns: the host writes the next message over it. Copy what you keep.
	Payload []byte
	// Meta is attached to an output, besides what the input has; nil adds nothing. It
	// is empty on an input: ask Meta.
	Meta map[string]string
}

// Func turns one message into any number of messages: none filters it. An error makes the
// message a dead letter of kind guest with the error's text; a panic one of kind runtime, and
// the instance is replaced.
type Func func(Message) ([]Message, error)

// Transform sets the module's transform. Call it once, from init.
func Transform(f Func) { transform = f }

// One returns a single output.
func One(payload []byte) []Message { return []Message{{Payload: payload}} }

var transform Func
