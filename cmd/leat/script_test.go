package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/leat-run/leat/cmd/leat/scaffold/toolchain"
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
		Dir:       "testdata/script",
		Cmds:      scriptCommands(),
		Condition: toolCondition,
		Setup: func(env *testscript.Env) error {
			env.Values[runningKey{}] = running{}
			env.Setenv("GUESTS", sample+"/testdata/guests")
			env.Setenv("SAMPLE", sample+"/../../testdata/pipelines/orders")
			env.Setenv("STAGES", sample+"/../../testdata/stages")
			env.Setenv("SDK", sample+"/../../guests")
			env.Setenv("XDG_CACHE_HOME", testCache())
			return nil
		},
	})
}

// toolCondition is [tool:LANGUAGE]: whether this machine can build it. It fails where LEAT_TOOLS promises so and it
// cannot.
func toolCondition(condition string) (bool, error) {
	language, ok := strings.CutPrefix(condition, "tool:")
	if !ok {
		return false, fmt.Errorf("there is no condition %q", condition)
	}
	_, err := toolchain.Command(language, "")
	if missing := toolchain.ErrMissing(""); errors.As(err, &missing) {
		return false, nil
	}
	return err == nil, err
}

// cmdBuild runs the build command that `leat new --json` printed, in the directory that it names before it.
func cmdBuild(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, args, 2, "build LANGUAGE FILE")
	var made newJSON
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &made))
	dir, build := strings.TrimPrefix(made.Next[0], "cd "), made.Next[slices.Index(made.Next, "leat test")-1]
	command, err := toolchain.Command(args[0], build)
	ts.Check(err)
	ts.Check(ts.Exec("sh", "-c", "cd "+dir+" && "+command))
}

// testCache is where the children keep compiled modules, over all test runs.
func testCache() string { return filepath.Join(os.TempDir(), "leat-test-cache") }
