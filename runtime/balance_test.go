package runtime

import (
	"reflect"
	"testing"
)

// A balance holds only if every branch ended once; all of its counts are listed, in the
// order in which they are stored.
func TestBalance(t *testing.T) {
	var b Balance
	for i, count := range b.Counts() {
		*count = uint64(i + 1)
	}
	want := Balance{Opened: 1, Delivered: 2, Null: 3, NoOutput: 4, NoMatch: 5, Dropped: 6, DeadLettered: 7, Orphaned: 8}
	if b != want || reflect.TypeFor[Balance]().NumField() != len(b.Counts()) {
		t.Errorf("counts %+v", b)
	}
	if b.Filtered() != 12 || b.Ended() != 35 || b.Check() == nil {
		t.Errorf("%d filtered, %d ended, %v", b.Filtered(), b.Ended(), b.Check())
	}
	if b.Opened = 35; b.Check() != nil {
		t.Error(b.Check())
	}
	if got := b.Minus(Balance{Opened: 30, Delivered: 2, NoMatch: 3}); got != (Balance{5, 0, 3, 4, 2, 6, 7, 8}) {
		t.Errorf("minus: %+v", got)
	}
}
