package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgressLine proves what the line says: with a bar and an ETA where the size is known,
// without them elsewhere, and with the reason while the run is blocked.
func TestProgressLine(t *testing.T) {
	known := reading{pipeline: "orders", committed: 500, inFlight: 12, deadLetters: 3, bytesRead: 25, bytesTotal: 100}
	blocked := reading{pipeline: "orders", committed: 500, blocked: "disk"}
	for _, c := range []struct {
		r    reading
		want string
	}{
		{known, "orders [======                  ]  25% ETA 30s 250/s  committed 500  in flight 12  dead letters 3"},
		{blocked, "orders 250/s  committed 500  in flight 0  dead letters 0  blocked: disk"},
	} {
		if got := progressLine(c.r, 250, 10*time.Second); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
	if got := clip("häuser", 3); got != "häu" {
		t.Errorf("clip = %q", got)
	}
}

// TestProgress proves that a terminal gets one line that is drawn over and erased at the end,
// cut to its width, and that anything else gets a plain line now and then.
func TestProgress(t *testing.T) {
	for _, c := range []struct {
		name     string
		terminal bool
		runs     time.Duration
		want     string
	}{
		{"terminal", true, 450 * time.Millisecond,
			"\r\x1b[Korders 50/s  committed 10\r\x1b[Korders 50/s  committed 20\r\x1b[K"},
		{"pipe", false, 11 * time.Second,
			"orders 2/s  committed 10  in flight 0  dead letters 0\norders 2/s  committed 20  in flight 0  dead letters 0\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				committed := int64(0)
				p := startProgress(surroundings{stderr: &out, terminal: c.terminal, width: func() int { return 26 }}, func() []reading {
					committed += 10
					return []reading{{pipeline: "orders", committed: committed}}
				})
				time.Sleep(c.runs)
				p.end()
				if got := out.String(); got != c.want {
					t.Errorf("got  %q\nwant %q", got, c.want)
				}
			})
		})
	}
}

// TestProgressOfTwoOfOneName proves that a pipeline and a stage of one name have rates of their own.
func TestProgressOfTwoOfOneName(t *testing.T) {
	var out bytes.Buffer
	now := time.Now()
	p := &progress{out: &out, at: now, look: func() []reading {
		return []reading{{pipeline: "a", committed: 100}, {pipeline: "a", committed: 10}}
	}}
	p.show(now.Add(time.Second))
	if want := "a 100/s  committed 100  in flight 0  dead letters 0  |  a 10/s  committed 10  in flight 0  dead letters 0\n"; out.String() != want {
		t.Errorf("got  %q\nwant %q", out.String(), want)
	}
}
