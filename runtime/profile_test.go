package runtime

import (
	"reflect"
	"strconv"
	"testing"
)

// TestFuelProfile proves that fuel adds up by stack, that samples come in one order, and
// that a guest with more stacks than there is room for loses places and no fuel.
func TestFuelProfile(t *testing.T) {
	var p FuelProfile
	outer, inner := Frame{Function: "outer"}, Frame{Function: "inner", File: "a.ts", Line: 3}
	stack := []Frame{inner, outer}
	p.Add(stack, 5)
	stack[0] = Frame{Function: "changed"}
	p.Add([]Frame{inner, outer}, 2)
	p.Add([]Frame{outer}, 7)
	p.Add(nil, 1)
	want := []FuelSample{
		{Stack: []Frame{inner, outer}, Fuel: 7, Count: 2}, {Stack: []Frame{outer}, Fuel: 7, Count: 1},
		{Stack: []Frame{{Function: Elsewhere}}, Fuel: 1, Count: 1},
	}
	if got := p.Samples(); !reflect.DeepEqual(got, want) || p.Total() != 15 {
		t.Errorf("%+v, total %d", got, p.Total())
	}
	for n := range 2 * MaxProfileStacks {
		p.Add([]Frame{{Function: strconv.Itoa(n)}, outer}, 1)
	}
	if got := len(p.Samples()); got != MaxProfileStacks || p.Total() != 15+2*MaxProfileStacks {
		t.Errorf("%d samples, total %d", got, p.Total())
	}
}
