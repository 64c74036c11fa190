package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/leat-run/leat/runtime"
)

// splitFlavor is the transform that is built in: one message per element of a JSON array.
const splitFlavor = "split"

// splitModule is split in the shape of any other transform: no state, one value for all
// workers. An element's bytes leave as they stand in the input.
type splitModule struct{ path string }

// Digest names the rule.
func (s splitModule) Digest() string { return "split:" + s.path }

// Warnings are none.
func (s splitModule) Warnings() []runtime.Warning { return nil }

// Instantiate returns s: it keeps nothing between messages.
func (s splitModule) Instantiate(context.Context, runtime.Host) (runtime.Transform, error) {
	return s, nil
}

// Spent is never.
func (s splitModule) Spent() runtime.Recycle { return runtime.RecycleNone }

// Close releases nothing.
func (s splitModule) Close() error { return nil }

// Apply yields the array's elements in order. A payload without an array at the path is
// the message's fault.
func (s splitModule) Apply(_ context.Context, in runtime.Message) (runtime.Result, error) {
	start := time.Now()
	elements, failure := s.elements(in.Payload)
	result := runtime.Result{Usage: runtime.Usage{Duration: time.Since(start)}}
	if failure != nil {
		return result, failure
	}
	result.Out = make([]runtime.Message, len(elements))
	for i, element := range elements {
		result.Out[i] = in
		result.Out[i].Payload = element
	}
	return result, nil
}

func (s splitModule) elements(payload []byte) ([]json.RawMessage, *runtime.Failure) {
	at := json.RawMessage(payload)
	if s.path != "" {
		for name := range strings.SplitSeq(s.path, ".") {
			var object map[string]json.RawMessage
			if err := json.Unmarshal(at, &object); err != nil || object[name] == nil {
				return nil, s.fault(fmt.Sprintf("there is no %q in the payload", name))
			}
			at = object[name]
		}
	}
	var elements []json.RawMessage
	if err := json.Unmarshal(at, &elements); err != nil || elements == nil {
		return nil, s.fault("what is there is no JSON array")
	}
	return elements, nil
}

func (s splitModule) fault(what string) *runtime.Failure {
	place := "the payload"
	if s.path != "" {
		place = "payload." + s.path
	}
	return &runtime.Failure{
		Kind: runtime.KindInput, Deterministic: true,
		Message: fmt.Sprintf("split needs an array at %s: %s", place, what),
		Hint:    "route such messages past split with a `when` on its edge",
	}
}
