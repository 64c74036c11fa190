package tune

import (
	"encoding/json"
	"math/bits"
	"sync"
	"time"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
)

// Evidence is what the calls into a plan's guests needed. It is safe for concurrent use.
type Evidence struct {
	nodes map[string]*node // fixed after NewEvidence
}

// node is the evidence of one transform.
type node struct {
	mu   sync.Mutex
	seen Seen
}

// Seen is what is known of one node.
type Seen struct {
	Calls    int64                  `json:"calls"` // attempts, successes and failures
	Failures map[runtime.Kind]int64 `json:"failures"`
	Fuel     Distribution           `json:"fuel"`
	Time     Distribution           `json:"time"` // nanoseconds
	Memory   Distribution           `json:"memory"`
	Sizes    []Size                 `json:"sizes"` // by powers of two of the payload
	Largest  int64                  `json:"largest"`
}

// Size is the fuel of the calls whose payload has from 2^(n-1) to 2^n-1 bytes.
type Size struct {
	Fuel Distribution `json:"fuel"`
}

// NewEvidence makes room for the nodes of a plan that run a guest.
func NewEvidence(plan *pipeline.Plan) *Evidence {
	e := &Evidence{nodes: map[string]*node{}}
	for _, t := range plan.Transforms {
		if t.Module != nil {
			e.nodes[t.Name] = &node{seen: Seen{Failures: map[runtime.Kind]int64{}}}
		}
	}
	return e
}

// Applied takes one call in. Evidence is an engine.Observer that looks at nothing else.
func (e *Evidence) Applied(call engine.Call) {
	n := e.nodes[call.Node.Name]
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.seen.add(call)
}

// Written is not evidence.
func (e *Evidence) Written(*pipeline.Sink, int, time.Duration, error) {}

// Appended is not evidence.
func (e *Evidence) Appended(int, time.Duration) {}

// Committed is not evidence.
func (e *Evidence) Committed(int, time.Duration) {}

func (s *Seen) add(call engine.Call) {
	s.Calls++
	if call.Kind != "" {
		s.Failures[call.Kind]++
		return
	}
	usage := call.Usage
	s.Fuel.Add(usage.Fuel)
	s.Time.Add(int64(usage.Duration))
	s.Memory.Add(usage.Memory)
	s.Largest = max(s.Largest, int64(call.InputBytes))
	class := bits.Len(uint(call.InputBytes))
	for len(s.Sizes) <= class {
		s.Sizes = append(s.Sizes, Size{})
	}
	s.Sizes[class].Fuel.Add(usage.Fuel)
}

// Succeeded returns how many calls there are measurements of.
func (s *Seen) Succeeded() int64 { return s.Fuel.Count() }

// spent are the kinds that say that a budget was too small.
var spent = []runtime.Kind{runtime.KindFuel, runtime.KindTimeout, runtime.KindMemory}

// AtBudget returns how many calls ended at a budget.
func (s *Seen) AtBudget() (n int64) {
	for _, kind := range spent {
		n += s.Failures[kind]
	}
	return n
}

// MarshalJSON writes the evidence by node.
func (e *Evidence) MarshalJSON() ([]byte, error) {
	out := map[string]json.RawMessage{}
	for name, n := range e.nodes {
		n.mu.Lock()
		text, err := json.Marshal(&n.seen)
		n.mu.Unlock()
		if err != nil {
			return nil, err
		}
		out[name] = text
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Evidence) UnmarshalJSON(text []byte) error {
	var in map[string]*Seen
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	e.nodes = map[string]*node{}
	for name, seen := range in {
		if seen == nil {
			continue
		}
		if seen.Failures == nil {
			seen.Failures = map[runtime.Kind]int64{}
		}
		e.nodes[name] = &node{seen: *seen}
	}
	return nil
}

// view shows what is known of a node to look, which keeps none of it: it goes on changing.
func (n *node) view(look func(*Seen)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	look(&n.seen)
}
