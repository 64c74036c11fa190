package flavortest_test

import (
	"testing"

	"github.com/leat-run/leat/flavors/flavortest"
	"github.com/leat-run/leat/flavors/script"
	"github.com/leat-run/leat/runtime"
)

// Proves that the script flavor passes the suite.
func TestScript(t *testing.T) {
	flavor := script.New(script.Options{})
	flavortest.Run(t, flavor, runtime.Code{Name: "behaviours.js", Bytes: flavortest.Script})
}
