package store

import (
	"testing"
	"time"
)

// A wait buys yields, at least one and at most companyYields; none buys none.
func TestYields(t *testing.T) {
	for wait, want := range map[time.Duration]int{
		-1: 0, 0: 0, 1: 1, companyYield: 1, 2 * time.Millisecond: 16, time.Hour: companyYields,
	} {
		if got := yields(wait); got != want {
			t.Errorf("%s buys %d yields, want %d", wait, got, want)
		}
	}
}

// With a wait, however long, a lone producer is answered, and rows keep their order.
func TestWriteWait(t *testing.T) {
	s := open(t, "", Options{Ephemeral: true, WriteWait: time.Hour})
	for want := range 100 {
		first, err := s.Append([]Row{richRow(), richRow()})
		if err != nil || int(first) != 2*want+1 {
			t.Fatalf("append %d: first seq %d: %v", want, first, err)
		}
	}
}
