package stage

import (
	"strings"
	"testing"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// A step ends before what it writes outgrows its bound, whatever it is that is large: headers that came, headers that
// are emitted, or the payloads of dead letters.
func TestStepIsBoundedByAllThatItWrites(t *testing.T) {
	large := strings.Repeat("x", 1<<20)
	for _, c := range []struct {
		name   string
		record store.TopicRecord
		answer guest
	}{
		{"headers that came", store.TopicRecord{Value: []byte("1"), Headers: []store.TopicHeader{{Name: "h", Value: []byte(large)}}},
			func(guestCall) (any, error) { return nil, nil }},
		{"headers that are emitted", store.TopicRecord{Value: []byte("1")},
			func(guestCall) (any, error) {
				return []any{object{"to": "out", "value": 1, "headers": object{"h": large}}}, nil
			}},
	} {
		w := newWorld(t, "a", "out")
		w.guests["odd"] = c.answer
		a, _ := w.log.Topic("a")
		for range 12 {
			_, err := w.log.AppendRecords(a.ID, 0, []store.TopicRecord{c.record})
			w.must(err)
		}
		s, err := w.start(nil, "inputs: {a: {}}", "outputs: {out: {}}", "handle: {script: {source: odd}, budget: {output: 2MiB}}")
		w.must(err)
		_, err = s.tasks[0].advance(t.Context())
		w.must(err)
		s.tasks[0].publish()
		if n := s.Counts().Received; n > stepBytes>>20+1 {
			t.Errorf("%s: one step took %d records of 1 MiB", c.name, n)
		}
		w.must(s.Close())
	}
}

// The same of records that were held: their release is cut into steps by what their dead letters hold.
func TestReleaseOfLargeLettersIsCutIntoSteps(t *testing.T) {
	w := newWorld(t, "a", "gate")
	w.guests["fail"] = func(c guestCall) (any, error) {
		if c.Msg.Topic == "a" {
			return nil, failing(runtime.KindGuest, true)
		}
		return nil, nil
	}
	for range 12 {
		w.produce("a", "k", `"`+strings.Repeat("x", 1<<20)+`"`, "gate@0")
	}
	lines := []string{"inputs: {a: {}, gate: {}}", "handle: {script: {source: fail}}", "on_failure: dead_letter"}
	if o := w.batch(lines...); o.Status != engine.StatusPartial || o.Counts.Held != 12 {
		t.Fatalf("%+v", o.Counts)
	}
	w.produce("gate", "k", `1`)
	s, err := w.start(nil, lines...)
	w.must(err)
	defer s.Close()
	_, err = s.tasks[0].advance(t.Context())
	w.must(err)
	if n := len(w.lettersOf()); n > stepBytes>>20+1 {
		t.Errorf("one step wrote %d dead letters of 1 MiB", n)
	}
}
