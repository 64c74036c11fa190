package main

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leat-run/leat/store"
)

// loanOf is a loan of a log that is not there, and counts.
func loanOf(taken, back *atomic.Int64) *logLoan {
	return &logLoan{
		take:     func() (*logAccess, error) { taken.Add(1); return &logAccess{}, nil },
		giveBack: func(*logAccess) { back.Add(1) },
	}
}

// The log is kept between calls that follow one another, given back where none follows, and taken anew for the next.
func TestLoanEndsWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var taken, back atomic.Int64
		l := loanOf(&taken, &back)
		for range 3 {
			_, _ = l.List(t.Context())
			time.Sleep(loanIdle - time.Millisecond)
		}
		if taken.Load() != 1 || back.Load() != 0 {
			t.Errorf("taken %d times, given back %d times", taken.Load(), back.Load())
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if back.Load() != 1 {
			t.Error("it is kept without a use")
		}
		_, _ = l.List(t.Context())
		if l.close(); taken.Load() != 2 || back.Load() != 2 {
			t.Errorf("taken %d times, given back %d times", taken.Load(), back.Load())
		}
		time.Sleep(2 * loanIdle)
		if l.close(); back.Load() != 2 {
			t.Error("given back twice")
		}
	})
}

// A verb that never rests leaves the log to others for a while, from time to time.
func TestLoanIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var taken, back atomic.Int64
		l := loanOf(&taken, &back)
		defer l.close()
		began := time.Now()
		var free time.Duration
		for time.Since(began) < 10*loanMost {
			before, at := back.Load(), time.Now()
			if _, err := l.List(t.Context()); err != nil {
				t.Fatal(err)
			}
			if back.Load() > before {
				free += time.Since(at)
			}
			time.Sleep(loanIdle / 2)
		}
		if n := back.Load(); n < 8 || free != time.Duration(n)*loanPause || taken.Load() != n+1 {
			t.Errorf("taken %d times, given back %d times, for %v", taken.Load(), back.Load(), free)
		}
	})
}

// A log that cannot be had fails the call, and only that.
func TestLoanOfNothing(t *testing.T) {
	refused := &store.InUseError{}
	l := &logLoan{take: func() (*logAccess, error) { return nil, refused }}
	if _, err := l.List(t.Context()); !errors.Is(err, refused) {
		t.Error(err)
	}
	l.close()
}
