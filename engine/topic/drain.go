package topic

import "sync"

// Drain finds out when everybody in this process who reads or writes topics is done: the end of a
// batch of stages and pipelines that feed one another. It is safe for concurrent use.
//
//	Join: busy --Idle--> idle --Busy--> busy ... --Leave-->
//	      nobody is busy, and every member is drained: Done is closed
//
// It only counts members: who appends from outside of the process does not hold up the end.
type Drain struct {
	mu      sync.Mutex
	members map[*Member]bool // true: busy
	done    chan struct{}
	over    bool
}

// Member is one who reads or writes topics.
type Member struct {
	drain   *Drain
	drained func() bool
}

// NewDrain has no members; it is done with the last of them, not without any.
func NewDrain() *Drain {
	return &Drain{members: map[*Member]bool{}, done: make(chan struct{})}
}

// Join adds a member, busy. drained says whether it has nothing left to read; nil is always. It is asked
// only while the member is idle, on any goroutine, and must not call the Drain.
func (d *Drain) Join(drained func() bool) *Member {
	m := &Member{d, drained}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.members[m] = true
	return m
}

// Done is closed once all is drained.
func (d *Drain) Done() <-chan struct{} { return d.done }

// Idle says that the member has nothing to do. Members that are woken by what others append go Busy
// before they look at it.
func (m *Member) Idle() { m.set(false) }

// Busy says that the member may append.
func (m *Member) Busy() { m.set(true) }

func (m *Member) set(busy bool) {
	m.drain.mu.Lock()
	defer m.drain.mu.Unlock()
	if _, joined := m.drain.members[m]; joined {
		m.drain.members[m] = busy
		m.drain.checkLocked()
	}
}

// Check asks whether all is drained, now that the member has got on with what it had read.
func (m *Member) Check() {
	m.drain.mu.Lock()
	defer m.drain.mu.Unlock()
	m.drain.checkLocked()
}

// Leave says that the member does nothing any more. It is idempotent, and nothing on a nil Member.
func (m *Member) Leave() {
	if m == nil {
		return
	}
	m.drain.mu.Lock()
	defer m.drain.mu.Unlock()
	delete(m.drain.members, m)
	m.drain.checkLocked()
}

// checkLocked: what an idle member has not read yet will make it busy. Since nobody is busy,
// nothing is appended between the questions.
func (d *Drain) checkLocked() {
	if d.over {
		return
	}
	for m, busy := range d.members {
		if busy || m.drained != nil && !m.drained() {
			return
		}
	}
	d.over = true
	close(d.done)
}
