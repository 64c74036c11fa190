package meter

import (
	"errors"
	"testing"
)

// Proves on hand-counted code that fuel is exact, that a budget of exactly what is used
// passes and one less fails, whatever the chunk and the engine; and that the depth bound
// is exact.
func TestFuelAndDepthAreExact(t *testing.T) {
	wasm := fixture(t, "basic.wasm")
	for name, config := range engines() {
		for _, chunk := range []int64{1, 777, 100_000, 1 << 40} {
			g := newGuest(t, config, wasm)
			b := plenty
			b.chunk = chunk
			r := g.call(b, "sum", 10)
			if r.err != nil || r.values[0] != 55 {
				t.Fatalf("%s/%d: %+v", name, chunk, r)
			}
			// An iteration: get, eqz, br_if; 4; 4; br. The last: 3. After: local.get.
			if want := int64(10*12 + 3 + 1); r.fuel != want {
				t.Errorf("%s/%d: sum(10) = %d units, want %d", name, chunk, r.fuel, want)
			}
			b.fuel = 124
			if r := g.call(b, "sum", 10); r.err != nil {
				t.Errorf("%s/%d: budget = used fails: %v", name, chunk, r.err)
			}
			b.fuel = 123
			if r := g.call(b, "sum", 10); !errors.Is(r.err, errFuel) {
				t.Errorf("%s/%d: budget = used-1: %v", name, chunk, r.err)
			}
			b = plenty
			b.chunk, b.stack = chunk, 500
			if r := g.call(b, "deep", 500); r.err != nil || r.values[0] != 500 {
				t.Errorf("%s/%d: 500 frames deep: %+v", name, chunk, r)
			}
			if r := g.call(b, "deep", 501); !errors.Is(r.err, errStack) {
				t.Errorf("%s/%d: 501 frames deep: %v", name, chunk, r.err)
			}
			g = newGuest(t, config, wasm)
			if r := g.call(b, "trap", 1000); r.err == nil || r.fuel != 1000*5+4+15 { // the loop, the call, deep(1)
				t.Errorf("%s/%d: fuel at a trap = %d, want that of the last call, %v", name, chunk, r.fuel, r.err)
			}
		}
	}
}
