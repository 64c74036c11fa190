package runtime

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Profiler is a Flavor that can tell where in a guest's code the fuel of its messages
// went. It is optional: ask a Flavor for it with a type assertion.
type Profiler interface {
	// Profile compiles as Flavor.Compile does, and every Apply of the module's instances
	// adds its fuel to into: the sum of what it adds is the Usage.Fuel of that Apply, also of
	// one that failed. Results, failures and fuel are those of Compile's module, but that a
	// guest which spends its budget may be stopped a few units apart. Time is not. into belongs to the module until it is closed, and one instance may be at work
	// at a time.
	Profile(ctx context.Context, code Code, settings Settings, into *FuelProfile) (Module, error)
}

// Frame is a place in a guest's code.
type Frame struct {
	// Function is what the author's code calls it; never empty.
	Function string
	// File and Line point into the author's source; "" and 0 where that is not known.
	File string
	Line int
}

// FuelSample is fuel that was spent in one place.
type FuelSample struct {
	// Stack is where, innermost frame first, as far as it was followed.
	Stack []Frame
	// Fuel is in the flavor's units, of the innermost frame's own code.
	Fuel int64
	// Count is how many times it was added to.
	Count int64
}

// MaxProfileStacks bounds the distinct stacks of a FuelProfile. What comes after is
// added to the innermost frame alone, and if there are too many of these, to Elsewhere.
const MaxProfileStacks = 20_000

// Elsewhere is the function that stands for what had no room of its own.
const Elsewhere = "(elsewhere)"

// FuelProfile gathers fuel by call stack. Its zero value is empty and ready. It belongs to
// one goroutine at a time.
type FuelProfile struct{ samples map[string]*FuelSample }

// Add adds fuel that was spent under a stack, innermost frame first. The stack is copied;
// an empty one is Elsewhere.
func (p *FuelProfile) Add(stack []Frame, fuel int64) {
	if len(stack) == 0 {
		stack = elsewhere
	}
	sample := p.sample(stack)
	if sample == nil {
		sample = p.sample(stack[:1])
	}
	if sample == nil {
		sample = p.open(elsewhere)
	}
	sample.Fuel += fuel
	sample.Count++
}

var elsewhere = []Frame{{Function: Elsewhere}}

// sample returns the stack's sample, or nil if it has none and there is no room.
func (p *FuelProfile) sample(stack []Frame) *FuelSample {
	if _, found := p.samples[stackKey(stack)]; !found && len(p.samples) >= MaxProfileStacks {
		return nil
	}
	return p.open(stack)
}

func (p *FuelProfile) open(stack []Frame) *FuelSample {
	key := stackKey(stack)
	sample, found := p.samples[key]
	if !found {
		if p.samples == nil {
			p.samples = map[string]*FuelSample{}
		}
		sample = &FuelSample{Stack: slices.Clone(stack)}
		p.samples[key] = sample
	}
	return sample
}

func stackKey(stack []Frame) string {
	var b strings.Builder
	for _, f := range stack {
		fmt.Fprintf(&b, "%q %q %d;", f.Function, f.File, f.Line)
	}
	return b.String()
}

// Samples returns what was gathered, most fuel first, then by stack.
func (p *FuelProfile) Samples() []FuelSample {
	out := make([]FuelSample, 0, len(p.samples))
	for _, s := range p.samples {
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b FuelSample) int {
		return cmp.Or(cmp.Compare(b.Fuel, a.Fuel), cmp.Compare(stackKey(a.Stack), stackKey(b.Stack)))
	})
	return out
}

// Total is the sum of all fuel.
func (p *FuelProfile) Total() int64 {
	total := int64(0)
	for _, s := range p.samples {
		total += s.Fuel
	}
	return total
}
