package engine

import (
	"slices"
	"sync"

	"github.com/leat-run/leat/runtime"
)

// letterLedger knows the rows in flight that replay something: a dead letter, or a row of
// a spool window.
type letterLedger struct {
	mu   sync.Mutex
	rows []*letterRow // sorted by seq
	// claimed are the letters that some Replay is at work on, until their rows are dealt with.
	claimed map[string]bool
}

// letterRow is one replayed letter, or row of a window, on its way.
type letterRow struct {
	seq     runtime.Seq
	id      string // of the letter; "" for a row of a window
	node    string // INTO which it was injected; "" for a row of a window
	delete  bool   // the letter goes once the row is committed
	taken   bool   // the first failure of this run has the letter's record: it stays
	failed  bool   // it failed again, be it further down
	at      string // the node that failed then
	settled bool   // it is committed
	claimed bool   // the ledger's claim on the letter ends with it
	skipped string // why there is no row; "" for one
	fault   LetterFault
	waiter  *letterWaiter // who is told of the end; nil for a row that a crash left
}

// letterWaiter waits for a number of rows. Its counts are guarded by the ledger's lock.
type letterWaiter struct {
	left              int
	committed, failed int // of those that are settled
	done              chan struct{}
}

func newLetterWaiter(rows int) *letterWaiter {
	return &letterWaiter{left: rows, done: make(chan struct{})}
}

func (l *letterLedger) add(r *letterRow) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, _ := slices.BinarySearchFunc(l.rows, r.seq, compareLetter)
	l.rows = slices.Insert(l.rows, at, r)
}

func compareLetter(r *letterRow, seq runtime.Seq) int {
	switch {
	case r.seq < seq:
		return -1
	case r.seq > seq:
		return 1
	}
	return 0
}

// replaying returns the letter that a row replays and the node that it was injected into;
// "" for none.
func (l *letterLedger) replaying(seq runtime.Seq) (id, into string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.findLocked(seq); r != nil && !r.taken {
		return r.id, r.node
	}
	return "", ""
}

// take gives the record of a row's letter to one failure, the first that asks.
func (l *letterLedger) take(seq runtime.Seq) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.findLocked(seq)
	if r == nil || r.taken {
		return false
	}
	r.taken = true
	return true
}

// failedAgain notes that the record of a failure is written, under id. What the row is
// reported with is the failure that has the letter's record, or else the first.
func (l *letterLedger) failedAgain(seq runtime.Seq, id, node string, fault LetterFault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.findLocked(seq); r != nil && (!r.failed || r.id == id) {
		r.failed, r.at, r.fault = true, node, fault
	}
}

func (l *letterLedger) findLocked(seq runtime.Seq) *letterRow {
	if len(l.rows) == 0 {
		return nil
	}
	at, found := slices.BinarySearchFunc(l.rows, seq, compareLetter)
	if !found {
		return nil
	}
	return l.rows[at]
}

// committed removes the rows up to through and returns them.
func (l *letterLedger) committed(through runtime.Seq) []*letterRow {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, _ := slices.BinarySearchFunc(l.rows, through+1, compareLetter)
	rows := slices.Clone(l.rows[:n])
	l.rows = slices.Delete(l.rows, 0, n)
	return rows
}

// tell lets the waiters of rows that were dealt with go on.
func (l *letterLedger) tell(rows []*letterRow) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range rows {
		r.settled = true
		if r.claimed {
			delete(l.claimed, r.id)
		}
		if w := r.waiter; w != nil {
			w.settle(r.failed)
		}
	}
}

func (w *letterWaiter) settle(failed bool) {
	if failed {
		w.failed++
	} else {
		w.committed++
	}
	if w.left--; w.left == 0 {
		close(w.done)
	}
}

// expect makes a waiter wait for more rows.
func (l *letterLedger) expect(w *letterWaiter, rows int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w.left += rows
}

// forget takes rows off a waiter that will not come, and reports whether none is left.
func (l *letterLedger) forget(w *letterWaiter, n int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	w.left -= n
	return w.left == 0
}
