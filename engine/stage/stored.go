package stage

import (
	"strings"

	"github.com/leat-run/leat/store"
)

// readAhead is how many held records are read at once when a hold queue is emptied.
const readAhead = 128

// stored is the protocol's view of a task's state. Held records are asked for one after the other: the ones that
// follow are read with the first, since a look-up each would cost many times as much.
type stored struct {
	log *store.Log
	id  store.TaskID
	// ahead are entries that were read and not asked for, at most readAhead and 1 MiB of them.
	ahead map[string][]byte
}

// Get returns an entry, nil where there is none.
func (s *stored) Get(key string) ([]byte, error) {
	if value, ok := s.ahead[key]; ok {
		delete(s.ahead, key)
		return value, nil
	}
	at := strings.Index(key, heldInfix)
	if at < 0 {
		return s.log.State(s.id, key)
	}
	entries, err := s.log.StatesFrom(s.id, key[:at+len(heldInfix)], key, readAhead)
	if err != nil || len(entries) == 0 || entries[0].Key != key {
		return nil, err
	}
	s.ahead = make(map[string][]byte, len(entries))
	for _, e := range entries[1:] {
		s.ahead[e.Key] = e.Value
	}
	return entries[0].Value, nil
}

// heldInfix is what the keys of held records have, and no others (causal.KeyHeld).
const heldInfix = "/e/"

// forget drops what was read of an entry that is about to change.
func (s *stored) forget(key string) { delete(s.ahead, key) }
