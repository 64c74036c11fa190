package store

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

func open(t *testing.T, dir string, o Options) *Store {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func testRows(n int) []Row {
	rows := make([]Row, n)
	for i := range rows {
		rows[i] = Row{Node: "in", Message: runtime.Message{
			ID: fmt.Sprint("m", i), Codec: "json", Payload: fmt.Appendf(nil, `{"n":%d}`, i),
			Source: "in", Ingested: time.UnixMilli(1_800_000_000_000).UTC(),
		}}
	}
	return rows
}

// What was acknowledged is there after a clean restart: rows in order with dense seqs,
// checkpoint and balance, states, letters in the order of their creation.
func TestReopenFindsEverything(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	if first, err := s.Append(testRows(300)); err != nil || first != 1 {
		t.Fatalf("first %d, %v", first, err)
	}
	checkpoint := Checkpoint{Through: 7, Balance: Balance{Opened: 9, Delivered: 8, Null: 1}}
	later, sooner := time.Unix(20, 5).UTC(), time.Unix(10, 0).UTC()
	for _, err := range []error{
		s.SetCheckpoint(checkpoint),
		s.SetNodeState("in", 1, []byte("place")),
		s.PutLetter(DeadLetter{ID: "a", CreatedAt: later, FailedAt: later}),
		s.PutLetter(DeadLetter{ID: "b", CreatedAt: sooner, FailedAt: later}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(testRows(1)); !errors.Is(err, ErrClosed) {
		t.Fatal("append after close:", err)
	}

	s = open(t, dir, Options{})
	if got, err := s.Checkpoint(); err != nil || got != checkpoint {
		t.Fatal(got, err)
	}
	want := checkpoint.Through
	if err := s.Rows(want, func(r Row) error {
		want++
		if r.Seq != want || r.Message.ID != fmt.Sprint("m", want-1) {
			t.Fatalf("row %d: %+v", want, r)
		}
		return nil
	}); err != nil || want != 300 {
		t.Fatal(want, err)
	}
	if state, err := s.NodeState("in"); err != nil || string(state) != "place" {
		t.Fatalf("%q %v", state, err)
	}
	var ids []string
	if err := s.Letters(func(l DeadLetter) error { ids = append(ids, l.ID); return nil }); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(ids) != "[b a]" {
		t.Fatal(ids)
	}
	if first, err := s.Append(testRows(2)); err != nil || first != 301 {
		t.Fatalf("first %d, %v", first, err)
	}
}

// The second owner is refused at once and learns who has the store; the first is unharmed.
func TestC56SecondOwnerIsRefused(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{Address: "/run/a.sock"})
	_, err := Open(dir, Options{})
	var inUse *InUseError
	if !errors.As(err, &inUse) || !errors.Is(err, ErrInUse) {
		t.Fatal(err)
	}
	if inUse.PID != os.Getpid() || inUse.Address != "/run/a.sock" {
		t.Fatalf("%+v", inUse)
	}
	if _, err := s.Append(testRows(1)); err != nil {
		t.Fatal(err)
	}
}

// eventually polls, for what the store does by itself.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 3000 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("not in half a minute:", what)
}
