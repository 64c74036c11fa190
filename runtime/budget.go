package runtime

import (
	"fmt"
	"time"
)

// Budget bounds one Apply. Every limit is always on: a field that is zero in a
// document is replaced by its flavor's default when the document is loaded, so a
// Budget that reaches a flavor has no zero field (Validate).
type Budget struct {
	Fuel    int64         // units of the flavor's fuel (flavors.md); > 0
	Timeout time.Duration // wall clock of one Apply, serialising the result included; > 0
	Memory  int64         // bytes an instance may hold; exact for wasm, approximate for scripts
	Stack   int           // call depth: script frames or wasm frames
	Input   int64         // bytes of the payload that is given to the guest
	Output  int64         // bytes of all payloads of one Apply together
	Outputs int           // messages of one Apply
	Depth   int           // nesting of JSON, in and out
	Log     int64         // bytes a guest may log in one Apply, one for each line's end; more is cut and marked
}

// SharedDefaults are the limits that do not depend on the flavor (flavors.md, Budget
// keys). Fuel and Stack are zero: each flavor's Defaults fills them.
func SharedDefaults() Budget {
	return Budget{
		Timeout: time.Second,
		Memory:  64 << 20,
		Input:   8 << 20,
		Output:  8 << 20,
		Outputs: 10_000,
		Depth:   512,
		Log:     16 << 10,
	}
}

// Or returns b with every zero field replaced by the one of def.
func (b Budget) Or(def Budget) Budget {
	or(&b.Fuel, def.Fuel)
	or(&b.Timeout, def.Timeout)
	or(&b.Memory, def.Memory)
	or(&b.Stack, def.Stack)
	or(&b.Input, def.Input)
	or(&b.Output, def.Output)
	or(&b.Outputs, def.Outputs)
	or(&b.Depth, def.Depth)
	or(&b.Log, def.Log)
	return b
}

func or[T int | int64 | time.Duration](field *T, def T) {
	if *field == 0 {
		*field = def
	}
}

// Validate reports the first limit that is not positive.
func (b Budget) Validate() error {
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"fuel", b.Fuel}, {"timeout", int64(b.Timeout)}, {"memory", b.Memory},
		{"stack", int64(b.Stack)}, {"input", b.Input}, {"output", b.Output},
		{"outputs", int64(b.Outputs)}, {"depth", int64(b.Depth)}, {"log", b.Log},
	} {
		if f.value <= 0 {
			return fmt.Errorf("budget: %s must be more than 0, is %d", f.name, f.value)
		}
	}
	return nil
}

// Usage is what one Apply spent.
type Usage struct {
	Fuel     int64         // deterministic units; 0 where the flavor does not count fuel
	Duration time.Duration // wall clock
	Memory   int64         // peak bytes; approximate for scripts
}
