package engine

// claim takes a letter for one Replay, so that no other sends it at the same time; false if
// one is on its way already, be it since an earlier run.
func (l *letterLedger) claim(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.claimed[id] {
		return false
	}
	for _, r := range l.rows {
		if r.id == id {
			return false
		}
	}
	if l.claimed == nil {
		l.claimed = map[string]bool{}
	}
	l.claimed[id] = true
	return true
}

// release gives up a claim that led to no row.
func (l *letterLedger) release(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.claimed, id)
}
