package main

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leat-run/leat/store"
)

// loanOf is a loan of a log that is not there, and counts.
func loanOf(taken, back *int) *logLoan {
	return &logLoan{
		take:     func() (*logAccess, error) { *taken++; return &logAccess{}, nil },
		giveBack: func(*logAccess) { *back++ },
	}
}

// The log is kept between calls that follow one another, given back where none follows, and taken anew for the next.
func TestLoanEndsWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var taken, back int
		l := loanOf(&taken, &back)
		for range 3 {
			_, _ = l.List(t.Context())
			time.Sleep(loanIdle - 1)
		}
		if taken != 1 || back != 0 {
			t.Errorf("taken %d times, given back %d times", taken, back)
		}
		time.Sleep(1)
		synctest.Wait()
		if back != 1 {
			t.Error("it is kept without a use")
		}
		_, _ = l.List(t.Context())
		if l.close(); taken != 2 || back != 2 {
			t.Errorf("taken %d times, given back %d times", taken, back)
		}
		time.Sleep(2 * loanIdle)
		if l.close(); back != 2 {
			t.Error("given back twice")
		}
	})
}

// A verb that never rests leaves the log to others for a while, from time to time.
func TestLoanIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var taken, back int
		l := loanOf(&taken, &back)
		defer l.close()
		began := time.Now()
		var free time.Duration
		for time.Since(began) < 10*loanMost {
			before, at := back, time.Now()
			if _, err := l.List(t.Context()); err != nil {
				t.Fatal(err)
			}
			if back > before {
				free += time.Since(at)
			}
			time.Sleep(loanIdle / 2)
		}
		if back < 8 || free != time.Duration(back)*loanPause || taken != back+1 {
			t.Errorf("taken %d times, given back %d times, for %v", taken, back, free)
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
