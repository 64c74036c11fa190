package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

// TestMain makes this test binary double as leat: the scripts run it as a child
// process, and so do the crash sweeps.
func TestMain(m *testing.M) {
	testscript.Main(leaks{m}, map[string]func(){"leat": main, "leat-deadly": deadly})
}

// leaks runs the tests and fails where a goroutine outlives them.
type leaks struct{ m *testing.M }

func (l leaks) Run() int {
	code := l.m.Run()
	// The clock of the regular expressions runs on for a while after the last one.
	if err := goleak.Find(goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock")); err != nil && code == 0 {
		os.Stderr.WriteString(err.Error() + "\n")
		return 1
	}
	return code
}

// TestScripts runs the executable manual of the command line: every verb, its help,
// its JSON, and what it says to bad input.
func TestScripts(t *testing.T) {
	sample, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: scriptCommands(),
		Setup: func(env *testscript.Env) error {
			env.Values[runningKey{}] = running{}
			env.Setenv("GUESTS", sample+"/testdata/guests")
			env.Setenv("SAMPLE", sample+"/../../testdata/pipelines/orders")
			env.Setenv("STAGES", sample+"/../../testdata/stages")
			env.Setenv("XDG_CACHE_HOME", testCache())
			return nil
		},
	})
}

// testCache is where the children keep compiled modules, over all test runs.
func testCache() string { return filepath.Join(os.TempDir(), "leat-test-cache") }
