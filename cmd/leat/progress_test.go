package main

import (
	"testing"
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
