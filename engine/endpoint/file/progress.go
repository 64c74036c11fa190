package file

import (
	"maps"
	"slices"
	"sync"

	"github.com/leat-run/leat/runtime"
)

// ledger knows how far each file of this run is committed. The reading goroutine adds
// to it, the committing one moves it.
type ledger struct {
	mu struct {
		sync.Mutex
		files     map[uint32]*place // by number; without those that are gone
		opened    uint32            // how many files were opened, and the next number
		awaited   []awaited         // of earlier runs: they stay in the state until this run opens them
		left      []leaving         // in the order of emissions; at most one per switch that is not committed
		committed uint64            // the last emission that Commit was told
	}
}

// awaited is where an earlier run was in what may be the file that this run will open at path.
type awaited struct {
	path string
	place
}

// leaving says that after an emission the reader left a file at a mark: once that
// emission is committed, so is the file up to there.
type leaving struct {
	emission uint64
	file     uint32
	mark     mark
	gone     bool
}

// await keeps a place in the state until the file at path is opened, which then is known itself.
func (l *ledger) await(path string, p place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.awaited = append(l.mu.awaited, awaited{path, p})
}

// open adds a file and returns its number.
func (l *ledger) open(p place) uint32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mu.files == nil {
		l.mu.files = make(map[uint32]*place)
	}
	l.mu.awaited = slices.DeleteFunc(l.mu.awaited, func(a awaited) bool { return a.path == p.Path })
	number := l.mu.opened
	l.mu.opened++
	l.mu.files[number] = &p
	return number
}

// describe updates what a file is known by; its mark moves by commits alone. REQUIRES: the
// reader has not left the file for good.
func (l *ledger) describe(file uint32, p place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.mark = l.mu.files[file].mark
	*l.mu.files[file] = p
}

// leave tells that the reader left a file, for good or for another one: a later commit is told of a
// position in that one alone. gone drops it from the state.
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
	if p.emission > l.mu.committed {
		file, ok := l.mu.files[p.file]
		if !ok {
			return nil, errPosition
		}
		l.mu.committed = p.emission - 1 // where the reader left this file before is behind p
		l.settleLocked()
		l.mu.committed, file.mark = p.emission, p.mark
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
		l.mu.files[leaving.file].mark = leaving.mark
		if leaving.gone {
			delete(l.mu.files, leaving.file)
		}
	}
}

// state is what is known before the first commit.
func (l *ledger) state() ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stateLocked().encode()
}

func (l *ledger) stateLocked() (s state) {
	for _, number := range slices.Sorted(maps.Keys(l.mu.files)) {
		s.Files = append(s.Files, *l.mu.files[number])
	}
	for _, a := range l.mu.awaited {
		if !slices.ContainsFunc(s.Files, func(p place) bool { return p.identity == a.identity }) {
			s.Files = append(s.Files, a.place)
		}
	}
	return s
}
