package script

import (
	"errors"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// TestMemoryByKind proves that a failure of memory says whether a retry would meet it again: a
// request that is too large would, what the whole process was seen to hold need not.
func TestMemoryByKind(t *testing.T) {
	for source, deterministic := range map[string]bool{
		`export default () => 'x'.repeat(1e9)`:                                            true,
		`export default () => { let all = null; for (;;) all = { all, a: 1, b: [all] } }`: false,
	} {
		w := load(t, source, func(s *runtime.Settings) {
			s.Budget.Memory, s.Budget.Fuel, s.Budget.Timeout = 8<<20, 1<<40, time.Minute
		})
		_, err := apply(w, `{}`)
		var f *runtime.Failure
		if !errors.As(err, &f) || f.Kind != runtime.KindMemory || f.Deterministic != deterministic {
			t.Errorf("%s: %+v", source, f)
		}
	}
}
