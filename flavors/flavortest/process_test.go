//go:build linux

package flavortest_test

import (
	"os"
	"testing"

	"github.com/leat-run/leat/flavors/flavortest"
	"github.com/leat-run/leat/flavors/process"
	"github.com/leat-run/leat/flavors/script"
	"github.com/leat-run/leat/flavors/wasm"
	"github.com/leat-run/leat/runtime"
)

// TestMain makes this test binary double as the children of isolation: process.
func TestMain(m *testing.M) {
	if process.IsChild() {
		os.Exit(process.Serve(map[string]runtime.Flavor{
			"script": script.New(script.Options{}), "wasm": wasm.New(wasm.Options{}),
		}))
	}
	os.Exit(m.Run())
}

// Proves that both flavors pass the suite in child processes.
func TestProcess(t *testing.T) {
	t.Run("script", func(t *testing.T) {
		flavor := process.New(script.New(script.Options{}), process.Options{})
		flavortest.Run(t, flavor, runtime.Code{Name: "behaviours.js", Bytes: flavortest.Script})
	})
	t.Run("wasm", func(t *testing.T) {
		flavor := process.New(wasm.New(wasm.Options{}), process.Options{})
		flavortest.Run(t, flavor, runtime.Code{Name: "behaviours.wasm", Bytes: flavortest.Module})
	})
}
