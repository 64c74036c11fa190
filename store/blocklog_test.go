package store

import (
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A spool that is at max_bytes again and again says so once a minute, with how often it was; the
// other end of it is said too.
func TestBlockedIsSaidOnceAMinute(t *testing.T) {
	var out lines
	var clock atomic.Int64 // seconds
	clock.Store(1_800_000_000)
	s := open(t, "", Options{
		Ephemeral: true, MaxBytes: 16 << 10, Now: func() time.Time { return time.Unix(clock.Load(), 0) },
		Log: slog.New(slog.NewTextHandler(&out, nil)),
	})
	said := func() []string {
		var of []string
		for line := range strings.Lines(out.text()) {
			if strings.Contains(line, "store: ") {
				_, message, _ := strings.Cut(line, "msg=")
				of = append(of, strings.TrimSpace(message))
			}
		}
		return of
	}
	fillAndCommit := func() {
		t.Helper()
		var err error
		for err == nil {
			_, err = s.Append(testRows(100))
		}
		if err := s.SetCheckpoint(Checkpoint{Through: s.LastSeq()}); err != nil {
			t.Fatal(err)
		}
		if err := s.Unblocked(unfinished(t)); err != nil {
			t.Fatal(err)
		}
	}
	for range 4 {
		fillAndCommit()
	}
	if got := said(); len(got) != 2 || !strings.Contains(got[0], "store: blocked") || !strings.Contains(got[0], "times=1") || !strings.Contains(got[1], "store: room again") {
		t.Fatalf("four times in a second:\n%s", strings.Join(got, "\n"))
	}
	clock.Add(int64(blockEvery / time.Second))
	fillAndCommit()
	if got := said(); len(got) != 4 || !strings.Contains(got[2], "times=4") {
		t.Fatalf("and once more a minute later:\n%s", strings.Join(got, "\n"))
	}
}

// A store that stays blocked is said to be, though it became so too soon to be said at once.
func TestBlockedThatLastsIsSaid(t *testing.T) {
	var out lines
	now := time.Unix(1_800_000_000, 0)
	l := blockLog{log: slog.New(slog.NewTextHandler(&out, nil))}
	l.tell(now, "disk", true)
	l.tell(now, "disk", false)
	l.tell(now.Add(time.Second), "", false)
	l.tell(now.Add(time.Second), "", false)
	l.tell(now.Add(2*time.Second), "spool", true)
	if n := strings.Count(out.text(), "\n"); n != 2 {
		t.Fatalf("%d lines:\n%s", n, out.text())
	}
	l.tell(now.Add(blockEvery), "spool", false)
	l.tell(now.Add(blockEvery+time.Second), "spool", false)
	if text := out.text(); strings.Count(text, "\n") != 3 || !strings.HasSuffix(text, "msg=\"store: blocked\" reason=spool times=1\n") {
		t.Fatal(text)
	}
}
