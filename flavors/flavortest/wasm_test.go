package flavortest_test

import (
	"testing"

	"github.com/leat-run/leat/flavors/flavortest"
	"github.com/leat-run/leat/flavors/wasm"
	"github.com/leat-run/leat/runtime"
)

// Proves that the wasm flavor passes the suite on both of its engines.
func TestWasm(t *testing.T) {
	for name, options := range map[string]wasm.Options{"compiler": {}, "interpreter": {Interpreter: true}} {
		t.Run(name, func(t *testing.T) {
			flavor := wasm.New(options)
			t.Cleanup(func() { _ = flavor.Close() })
			flavortest.Run(t, flavor, runtime.Code{Name: "behaviours.wasm", Bytes: flavortest.Module})
		})
	}
}
