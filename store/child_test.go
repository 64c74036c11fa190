package store

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// childEnv names what a child process of this test binary is for.
const childEnv = "LEAT_STORE_CHILD"

// TestMain proves that Close ends every goroutine that Open started, Pebble's included.
// A store that failed keeps goroutines parked by design: such tests run in a child.
func TestMain(m *testing.M) {
	switch os.Getenv(childEnv) {
	case "":
		goleak.VerifyTestMain(m)
	case "kill":
		killChild(os.Getenv("LEAT_STORE_DIR"))
	case "killlog":
		killLogChild(os.Getenv("LEAT_STORE_DIR"))
	default:
		os.Exit(m.Run())
	}
}

// inChild runs the test that calls it in a process of its own and reports its result.
// It returns true in that process.
func inChild(t *testing.T) bool {
	t.Helper()
	if os.Getenv(childEnv) != "" {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$", "-test.v")
	cmd.Env = append(os.Environ(), childEnv+"=test")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("child: %v\n%s", err, out)
	} else if strings.Contains(string(out), "--- SKIP") {
		t.Skipf("%s", out)
	}
	return false
}
