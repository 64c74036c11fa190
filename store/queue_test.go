package store

import (
	"fmt"
	"testing"
)

// A group carries letters up to its bound and one at least, in their order, and the queue goes on
// with the others, after a close as well.
func TestLettersAreCutIntoGroups(t *testing.T) {
	q := newQueue()
	for i := range 5 {
		q.putLetter(&letterCall{ticket: newTicket(), id: fmt.Sprint(i), body: make([]byte, groupBytes*2/5)})
	}
	q.putLetter(&letterCall{ticket: newTicket(), id: "big", body: make([]byte, 3*groupBytes)})
	q.close()
	var groups []string
	for {
		w, ok := q.take(DefaultWriteRows, 0)
		if !ok {
			break
		}
		group := ""
		for _, c := range w.letters {
			group += c.id
		}
		groups = append(groups, group)
	}
	if got := fmt.Sprint(groups); got != "[01 23 4 big]" {
		t.Errorf("groups %s", got)
	}
}
