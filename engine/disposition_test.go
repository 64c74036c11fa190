package engine

import (
	"testing"
	"time"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
)

// What happens to a message after an attempt, as a table: retries: 3 means 4 attempts;
// deterministic failures are not tried again unless the edge says so; a crash never is.
func TestDisposition(t *testing.T) {
	transient := &runtime.Failure{Kind: runtime.KindTimeout}
	sure := &runtime.Failure{Kind: runtime.KindFuel, Deterministic: true}
	crash := &runtime.Failure{Kind: runtime.KindCrash}
	for _, c := range []struct {
		name     string
		policy   policy
		failure  *runtime.Failure
		attempts int
		want     Disposition
	}{
		{"first of four", policy{retries: 3}, transient, 1, Retry},
		{"third of four", policy{retries: 3}, transient, 3, Retry},
		{"fourth of four", policy{retries: 3}, transient, 4, DeadLetter},
		{"no retries", policy{}, transient, 1, DeadLetter},
		{"deterministic", policy{retries: 3}, sure, 1, DeadLetter},
		{"deterministic, on request", policy{retries: 3, retryDeterministic: true}, sure, 3, Retry},
		{"deterministic, on request, used up", policy{retries: 3, retryDeterministic: true}, sure, 4, DeadLetter},
		{"crash", policy{retries: 3, retryDeterministic: true}, crash, 1, DeadLetter},
	} {
		if got := c.policy.afterGuest(c.failure, c.attempts); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	for _, c := range []struct {
		name     string
		policy   policy
		attempts int
		want     Disposition
	}{
		{"sink, attempts left", policy{retries: 1, required: true}, 1, Retry},
		{"sink, required", policy{retries: 1, required: true}, 2, DeadLetter},
		{"sink, optional", policy{retries: 1}, 2, Drop},
	} {
		if got := c.policy.afterSink(c.attempts); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Pauses double up to the cap; constant ones do not grow.
func TestPauses(t *testing.T) {
	exponential := policy{backoff: pipeline.BackoffExponential}
	for attempts, want := range map[int]time.Duration{1: 100, 2: 200, 3: 400, 9: 25_600, 10: 30_000, 1000: 30_000} {
		if got := exponential.pause(attempts, 100*time.Millisecond, 30*time.Second); got != want*time.Millisecond {
			t.Errorf("after %d attempts: %s, want %s", attempts, got, want*time.Millisecond)
		}
	}
	if got := (policy{backoff: pipeline.BackoffConstant}).pause(7, time.Second, time.Minute); got != time.Second {
		t.Errorf("constant: %s", got)
	}
}
