package wasm

import (
	"math"
	"testing"
)

// TestClockNeverGoesBack proves that a guest's clock moves on, however long the guest sleeps.
func TestClockNeverGoesBack(t *testing.T) {
	c := newClock()
	last := c.nanotime()
	for _, d := range []int64{-1, 5, math.MaxInt64, 7, math.MinInt64, math.MaxInt64} {
		c.sleep(d)
		now := c.nanotime()
		if now <= last {
			t.Errorf("after a sleep of %d it is %d, before it was %d", d, now, last)
		}
		last = now
	}
}

// TestRaised proves that no fault of ours passes for a guest's success.
func TestRaised(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a panic that is no failure was dropped")
		}
	}()
	_ = func() (err error) {
		defer raised(&err)
		panic("a fault of ours")
	}()
}
