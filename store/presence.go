package store

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"
)

// presenceEvery is how often it is looked whether the files are still there.
const presenceEvery = time.Second

// presence notices that somebody removed or replaced the files of an open store: what is written to
// a file without a name, or into a directory that was moved away, is in no store after a restart.
// It holds what Pebble made and did not remove, as the gate sees it, against the directory.
//
//	INVARIANT: a name is in names only while its file is there: it is taken out before Pebble
//	removes the file, and put in after Pebble made it.
type presence struct {
	s  *Store
	mu struct {
		sync.Mutex
		names map[string]uint64 // each with a number of its own
		next  uint64
	}
}

// ofPebble are the names that Pebble gives to files without which its database does not open.
var ofPebble = regexp.MustCompile(`^(\d+\.(log|sst|blob)|MANIFEST-\d+|OPTIONS-\d+|marker\..+)$`)

func newPresence(s *Store) *presence {
	p := &presence{s: s}
	p.mu.names = map[string]uint64{}
	return p
}

// found takes in what an earlier owner left in the directory, before Pebble opens it.
func (p *presence) found(dir string, names []string) {
	for _, name := range names {
		p.made(filepath.Join(dir, name))
	}
}

// made is told after a file was made.
func (p *presence) made(path string) {
	if !ofPebble.MatchString(filepath.Base(path)) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mu.next++
	p.mu.names[filepath.Base(path)] = p.mu.next
}

// unmade is told before a file is removed or gets another name.
func (p *presence) unmade(path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.mu.names, filepath.Base(path))
}

func (p *presence) known() map[string]uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.mu.names)
}

// run looks until stop, or until something is missing: then the store has failed.
func (p *presence) run(stop <-chan struct{}) {
	if p.s.opt.Ephemeral && p.s.opt.FS == nil {
		return // nobody else sees its files
	}
	tick := time.NewTicker(presenceEvery)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-p.s.failed:
			return
		case <-tick.C:
		}
		err := p.s.lease.check(p.s.dir)
		if err == nil {
			err = p.check()
		}
		if err != nil {
			p.s.gate.shut()
			p.s.fail(err)
		}
	}
}

// check compares the directory with what Pebble made. A file is missing if it was known before the
// directory was read, is not in it, and was neither removed nor made anew by Pebble meanwhile.
func (p *presence) check() error {
	before, dir := p.known(), filepath.Join(p.s.dir, pebbleDir)
	listed, err := p.s.gate.List(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return gone(dir)
	case err != nil:
		return nil // not to know is no reason to fail: what cannot be read fails its reader
	}
	for _, name := range listed {
		delete(before, name)
	}
	now := p.known()
	for name, number := range before {
		if now[name] == number {
			return gone(filepath.Join(dir, name))
		}
	}
	return nil
}

// check says whether the lock is still the one that the path in dir names: another owner would
// lock that one.
func (l *lease) check(dir string) error {
	if l == nil {
		return nil
	}
	path := filepath.Join(dir, leaseName)
	there, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return gone(path)
	}
	held, heldErr := l.file.Stat()
	if err != nil || heldErr != nil || os.SameFile(there, held) {
		return nil // or it cannot be known
	}
	return fmt.Errorf("%w: %s is another file now", ErrRemoved, path)
}

func gone(path string) error { return fmt.Errorf("%w: %s is gone", ErrRemoved, path) }
