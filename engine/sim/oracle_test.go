package sim

import (
	"fmt"
	"maps"
	"slices"

	"github.com/leat-run/leat/engine/causal"
)

// set is a set of events by number.
type set []uint64

func (s set) has(i int) bool { return i/64 < len(s) && s[i/64]&(1<<(i%64)) != 0 }

func (s *set) add(i int) {
	for len(*s) <= i/64 {
		*s = append(*s, 0)
	}
	(*s)[i/64] |= 1 << (i % 64)
}

func (s *set) union(o set) {
	for len(*s) < len(o) {
		*s = append(*s, 0)
	}
	for i, w := range o {
		(*s)[i] |= w
	}
}

// event is one append: where it went, what really happened before it, and what it is the effect of.
type event struct {
	at     causal.Coordinate
	before set
	origin string // <node> <cause>; "" for one of an edge producer
}

// ledger is what really happened at one node or edge. A node's working ledger replaces the committed one
// with the step, or is dropped with it.
type ledger struct {
	past      set // everything that happened before its next emission
	effects   set // everything that happened before anything delivered here
	delivered set
	last      map[causal.Channel]int64
	baseline  map[causal.Channel]int64
}

func newLedger() ledger {
	return ledger{last: map[causal.Channel]int64{}, baseline: map[causal.Channel]int64{}}
}

func (l ledger) clone() ledger {
	return ledger{
		slices.Clone(l.past), slices.Clone(l.effects), slices.Clone(l.delivered),
		maps.Clone(l.last), maps.Clone(l.baseline),
	}
}

// deliver judges a delivery: no record twice, each channel in order, and no record after its own effect.
func (l *ledger) deliver(id int, e event) error {
	switch last, seen := l.last[e.at.Channel]; {
	case l.delivered.has(id):
		return fmt.Errorf("event %d was delivered twice", id)
	case seen && last >= e.at.Offset:
		return fmt.Errorf("event %d: offset %d after offset %d", id, e.at.Offset, last)
	case l.effects.has(id):
		return fmt.Errorf("event %d was delivered after an effect of it", id)
	}
	l.last[e.at.Channel] = e.at.Offset
	l.delivered.add(id)
	l.effects.union(e.before)
	l.observe(id, e)
	return nil
}

func (l *ledger) observe(id int, e event) {
	l.past.union(e.before)
	l.past.add(id)
}
