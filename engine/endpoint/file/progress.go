package file

import (
	"sync"

	"github.com/leat-run/leat/runtime"
)

// ledger knows how far each file of this run is committed. The reading goroutine adds
// to it, the committing one moves it.
type ledger struct {
	mu struct {
		sync.Mutex
		files     []entry   // by number
		left      []leaving // in the order of emissions; at most one per switch that is not committed
		committed uint64    // the last emission that Commit was told
	}
}

type entry struct {
	place
	gone bool // not to be kept: the file is no longer what it was
}

// leaving says that after an emission the reader left a file at a mark: once that
// emission is committed, so is the file up to there.
type leaving struct {
	emission uint64
	file     uint32
	mark     mark
	gone     bool
}

// open adds a file and returns its number.
func (l *ledger) open(p place) uint32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.files = append(l.mu.files, entry{place: p})
	return uint32(len(l.mu.files) - 1)
}

// describe updates what a file is known by; its mark moves by commits alone.
func (l *ledger) describe(file uint32, p place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.mark = l.mu.files[file].mark
	l.mu.files[file].place = p
}

// leave tells that the reader left a file. gone drops it from the state.
func (l *ledger) leave(emission uint64, file uint32, m mark, gone bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.left = append(l.mu.left, leaving{emission, file, m, gone})
	l.settleLocked()
}

// commit moves to a position and returns the state to keep.
func (l *ledger) commit(through runtime.Position) ([]byte, error) {
	p, err := decodePosition(through)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if int(p.file) >= len(l.mu.files) {
		return nil, errPosition
	}
	if p.emission > l.mu.committed {
		l.mu.committed = p.emission
		l.mu.files[p.file].mark = p.mark
		l.settleLocked()
	}
	return l.stateLocked().encode()
}

// settleLocked applies the leavings that are committed. A file that was left at the last
// committed emission is thereby known up to its end, past trailing empty lines.
func (l *ledger) settleLocked() {
	for len(l.mu.left) > 0 && l.mu.left[0].emission <= l.mu.committed {
		leaving := l.mu.left[0]
		l.mu.left = l.mu.left[1:]
		file := &l.mu.files[leaving.file]
		file.mark, file.gone = leaving.mark, leaving.gone
	}
}

func (l *ledger) stateLocked() (s state) {
	for _, file := range l.mu.files {
		if !file.gone {
			s.Files = append(s.Files, file.place)
		}
	}
	return s
}
