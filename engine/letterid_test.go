package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// A row that is run again after a crash names its letters as its first run did; another
// step, another row, another payload and the second of two equal messages are others.
func TestLetterIDsOfARowRunAgain(t *testing.T) {
	m := &runtime.Message{Payload: []byte(`{"a":1}`), Ingested: time.UnixMilli(1_796_000_000_000)}
	other := &runtime.Message{Payload: []byte(`{"a":2}`), Ingested: m.Ingested}
	names := func() (all []string) {
		var l letterIDs
		return append(all,
			l.next(7, 0, "score", "a->score", m), l.next(7, 0, "score", "a->score", m), l.next(7, 0, "score", "b->score", m),
			l.next(7, 0, "out", "a->score", m), l.next(8, 0, "score", "a->score", m), l.next(7, 0, "score", "a->score", other))
	}
	first, again := names(), names()
	seen := map[string]bool{}
	for i, id := range first {
		if id != again[i] {
			t.Errorf("letter %d is named %s and then %s", i, id, again[i])
		}
		if len(id) != 26 || seen[id] {
			t.Errorf("letter %d: %q is no identity of its own", i, id)
		}
		seen[id] = true
	}
}

// What is committed is forgotten, and only that.
func TestLetterIDsAreBounded(t *testing.T) {
	var l letterIDs
	first := &runtime.Message{Payload: []byte("first")}
	id := l.next(1_000_000, 0, "n", "", first)
	for i := range 3 * lettersSeen {
		l.next(runtime.Seq(i), runtime.Seq(i), "n", "", &runtime.Message{Payload: fmt.Append(nil, i)})
	}
	if len(l.seen) > lettersSeen {
		t.Errorf("%d digests are kept", len(l.seen))
	}
	if l.next(1_000_000, 3*lettersSeen, "n", "", first) == id {
		t.Error("the letter of a message in flight was forgotten")
	}
}

// Many messages in flight are not looked through for each letter: what is kept doubles first.
func TestLetterIDsAreLookedThroughNowAndThen(t *testing.T) {
	var l letterIDs
	passes, before := 0, 0
	for i := range 20 * lettersSeen {
		l.next(runtime.Seq(i+1), 0, "n", "", &runtime.Message{Payload: fmt.Append(nil, i)})
		if l.forgetAt != before {
			passes, before = passes+1, l.forgetAt
		}
	}
	if passes > 6 || len(l.seen) != 20*lettersSeen {
		t.Errorf("%d passes over what is in flight, %d are kept", passes, len(l.seen))
	}
	l.next(1, 20*lettersSeen, "n", "", &runtime.Message{})
	for i := range 20 * lettersSeen {
		l.next(runtime.Seq(i), 30*lettersSeen, "m", "", &runtime.Message{Payload: fmt.Append(nil, i)})
	}
	if len(l.seen) > lettersSeen || l.forgetAt != lettersSeen {
		t.Errorf("%d are kept of what is committed, until there are %d", len(l.seen), l.forgetAt)
	}
}
