package script

import (
	"os"
	"testing"

	"github.com/dlclark/regexp2/v2"
	"go.uber.org/goleak"
)

// TestMain proves that no goroutine outlives the tests. The clock of the backtracking
// engine ends by itself a second after its last match; the tests stop it.
func TestMain(m *testing.M) {
	code := m.Run()
	regexp2.StopTimeoutClock()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			_, _ = os.Stderr.WriteString(err.Error() + "\n")
			code = 1
		}
	}
	os.Exit(code)
}
