package engine

import (
	"slices"
	"sync"
	"time"

	"github.com/leat-run/leat/runtime"
)

// acceptances remembers when groups were accepted, until the durable checkpoint covers
// them: Observer.Committed. It is bounded by the gate, and empty where nobody observes.
type acceptances struct {
	mu     sync.Mutex
	groups []acceptance // sorted by seq
	head   int          // groups before it are committed; cut off when they are the larger half
}

// acceptance is a group of neighbouring seqs.
type acceptance struct {
	first runtime.Seq
	count int
	at    time.Time
}

// note adds a group. Racing sources come nearly in order.
func (a *acceptances) note(first runtime.Seq, count int, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := len(a.groups)
	for i > a.head && a.groups[i-1].first > first {
		i--
	}
	a.groups = slices.Insert(a.groups, i, acceptance{first, count, at})
}

// committed takes out what is at or below through.
func (a *acceptances) committed(through runtime.Seq) (done []acceptance) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.head < len(a.groups) {
		g := &a.groups[a.head]
		if g.first > through {
			break
		}
		n := min(g.count, int(through-g.first)+1)
		done = append(done, acceptance{g.first, n, g.at})
		if g.first, g.count = g.first+runtime.Seq(n), g.count-n; g.count > 0 {
			break
		}
		a.head++
	}
	if a.head > len(a.groups)/2 {
		a.groups, a.head = slices.Delete(a.groups, 0, a.head), 0
	}
	return done
}
