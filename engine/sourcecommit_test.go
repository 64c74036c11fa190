package engine

import (
	"testing"
	"testing/synctest"
)

// The ranks of a later run are higher, whatever the clock says: that of a bubble stands at the
// year 2000.
func TestRanksRiseWhenTheClockIsSetBack(t *testing.T) {
	before := firstRank()
	synctest.Test(t, func(t *testing.T) {
		if after := firstRank(); after <= before {
			t.Errorf("a rank of %d after one of %d", after, before)
		}
	})
}
