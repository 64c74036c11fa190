package meter

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"testing"
)

// Proves that (result, fuel) and the memory of a call depend on code and arguments alone:
// one value for both engines and four chunks, each on a fresh instance; that the fuel
// used is a budget that passes and one unit less is not; and that a guest stopped at half
// its fuel leaves the same memory and the same count in each of them. Two chunks for the
// Go kernels and with -short.
func TestDeterminism(t *testing.T) {
	for _, k := range kernels {
		t.Run(k.module+"/"+k.function, func(t *testing.T) {
			wasm := rewritten(t, k.wasm(t))
			chunks := []int64{1, 777, 100_000, 1 << 40}
			if k.module == "go" || testing.Short() {
				chunks = chunks[2:]
			}
			var want [3]string
			for engine, config := range engines() {
				if k.module == "go" && engine == "interpreter" && k.function != "passes" {
					continue // deeper than the interpreter's own bound on some runs of its collector
				}
				for _, chunk := range chunks {
					have := k.outcomes(t, func() *guest { return newGuestOf(t, config, wasm) }, chunk)
					if want[0] == "" {
						want = have
					}
					if have != want {
						t.Errorf("%s, chunk %d: %v, want %v", engine, chunk, have, want)
					}
				}
			}
		})
	}
}

// outcomes describes a whole call, one with exactly its fuel less one, one with half.
func (k kernel) outcomes(t *testing.T, fresh func() *guest, chunk int64) [3]string {
	t.Helper()
	b := plenty
	b.chunk = chunk
	g := fresh()
	whole := g.call(b, k.function, k.small)
	if whole.err != nil {
		t.Fatal(whole.err)
	}
	out := [3]string{g.describe(whole)}
	b.fuel = whole.fuel - 1
	g = fresh()
	if r := g.call(b, k.function, k.small); !errors.Is(r.err, errFuel) {
		t.Errorf("one unit less than used: %v", r.err)
	} else {
		out[1] = g.describe(r)
	}
	b.fuel = whole.fuel / 2
	g = fresh()
	if r := g.call(b, k.function, k.small); !errors.Is(r.err, errFuel) {
		t.Errorf("half of the fuel: %v", r.err)
	} else {
		out[2] = g.describe(r)
	}
	b.fuel = whole.fuel
	if r := fresh().call(b, k.function, k.small); r.err != nil {
		t.Errorf("as much fuel as used: %v", r.err)
	}
	return out
}

func (g *guest) describe(r result) string {
	sum := "none"
	if m := g.module.Memory(); m != nil {
		all, _ := m.Read(0, m.Size())
		sum = fmt.Sprintf("%x", sha256.Sum256(all))
	}
	return fmt.Sprint(r.values, r.fuel, sum)
}
