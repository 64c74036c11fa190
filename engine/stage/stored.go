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
	// ahead are, by hold queue, entries that were read and not asked for, at most readAhead and 1 MiB of each: queues
	// whose records are one another's causes are emptied by turns.
	ahead map[string]map[string][]byte
	// reads counts how often held records were read from the log.
	reads int
}

// Get returns an entry, nil where there is none.
func (s *stored) Get(key string) ([]byte, error) {
	queue := queueOf(key)
	if queue == "" {
		return s.log.State(s.id, key)
	}
	if value, ok := s.ahead[queue][key]; ok {
		delete(s.ahead[queue], key)
		return value, nil
	}
	s.reads++
	entries, err := s.log.StatesFrom(s.id, queue, key, readAhead)
	if err != nil || len(entries) == 0 || entries[0].Key != key {
		return nil, err
	}
	ahead := make(map[string][]byte, len(entries))
	for _, e := range entries[1:] {
		ahead[e.Key] = e.Value
	}
	if s.ahead == nil {
		s.ahead = map[string]map[string][]byte{}
	}
	s.ahead[queue] = ahead
	return entries[0].Value, nil
}

// heldInfix is what the keys of held records have, and no others (causal.KeyHeld).
const heldInfix = "/e/"

// queueOf is the prefix of the keys of the held record's queue; "" where it is another key.
func queueOf(key string) string {
	at := strings.Index(key, heldInfix)
	if at < 0 {
		return ""
	}
	return key[:at+len(heldInfix)]
}

// forget drops what was read of an entry that is about to change.
func (s *stored) forget(key string) { delete(s.ahead[queueOf(key)], key) }
