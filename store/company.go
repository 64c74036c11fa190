package store

import (
	goruntime "runtime"
	"time"
)

// The bounds of waiting for company (Options.WriteWait).
const (
	companyYields = 16
	companyYield  = 125 * time.Microsecond // of WriteWait buy one yield
)

// yields turns a wait into a number of yields to the scheduler, 0 to companyYields. The
// committer never sleeps for company: a timer is coarser than a write, and a lone producer
// cannot bring a second row before its first is acknowledged (seed 000). It only lets the
// callers run that the last group released.
func yields(wait time.Duration) int {
	if wait <= 0 {
		return 0
	}
	return int(min(companyYields, max(wait/companyYield, 1)))
}

// awaitCompany yields while the queue holds fewer rows than a group may, at most so often.
func (q *queue) awaitCompany(rows, yields int) {
	for range yields {
		if n := q.rows(); n == 0 || n >= rows {
			return
		}
		goruntime.Gosched()
	}
}

// rows is how many rows wait.
func (q *queue) rows() (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, c := range q.mu.appends {
		n += len(c.ends)
	}
	return n
}
