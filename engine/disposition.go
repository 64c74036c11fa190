package engine

import (
	"time"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
)

// Disposition is what happens to a message after an attempt that failed.
type Disposition uint8

const (
	Retry      Disposition = iota // try again after a pause
	Drop                          // end the branch, counted: its edge is not required
	DeadLetter                    // end the branch with a record
)

// policy is how attempts at a message, or at a batch of several edges, are made.
type policy struct {
	retries            int
	backoff            pipeline.Backoff
	timeout            time.Duration
	required           bool
	retryDeterministic bool
}

func (e *edge) policy() policy {
	return policy{
		retries: e.Retries, backoff: e.Backoff, timeout: e.Timeout,
		required: e.Required, retryDeterministic: e.RetryDeterministic,
	}
}

// join makes the strictest policy of a mixed batch: the most attempts, the longest time
// for each, growing pauses if any edge asks for them. The zero policy is that of no edge.
func (p policy) join(q policy) policy {
	if p == (policy{}) {
		return q
	}
	p.retries = max(p.retries, q.retries)
	p.timeout = max(p.timeout, q.timeout)
	p.required = p.required || q.required
	p.retryDeterministic = p.retryDeterministic || q.retryDeterministic
	if q.backoff == pipeline.BackoffExponential {
		p.backoff = q.backoff
	}
	return p
}

// afterGuest decides about a guest's failure; attempts counts those made. A deterministic
// failure is not tried again unless the edge says so: the result cannot change. Neither
// is a message that killed a process. Transforms do not drop: an optional edge is about
// delivery, and what a guest could not do is worth a record.
func (p policy) afterGuest(f *runtime.Failure, attempts int) Disposition {
	final := f.Kind == runtime.KindCrash || f.Deterministic && !p.retryDeterministic
	if !final && attempts <= p.retries {
		return Retry
	}
	return DeadLetter
}

// afterSink decides about a batch that a sink refused.
func (p policy) afterSink(attempts int) Disposition {
	if attempts <= p.retries {
		return Retry
	}
	return p.finally()
}

// finally is how a branch ends whose attempts are used up.
func (p policy) finally() Disposition {
	if p.required {
		return DeadLetter
	}
	return Drop
}

// pause is how long to wait after the given number of attempts.
func (p policy) pause(attempts int, base, limit time.Duration) time.Duration {
	if p.backoff == pipeline.BackoffConstant {
		return base
	}
	for ; attempts > 1 && base < limit; attempts-- {
		base *= 2
	}
	return min(base, limit)
}
