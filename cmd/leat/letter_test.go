package main

import (
	"strings"
	"testing"

	"github.com/leat-run/leat/engine/stage"
)

// TestCell proves that what a guest says stays in its cell of a table, whatever it says.
func TestCell(t *testing.T) {
	if got, want := cell("a\tb\nc\r\nd\x1b[2J"), "a b c d\uFFFD[2J"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestHoldsAreShownAsText proves that the reason of a guest that blocks a stage moves no cursor.
func TestHoldsAreShownAsText(t *testing.T) {
	var out strings.Builder
	printHolds(&out, nil, []stage.Blocked{{Topic: "orders", Kind: "guest", Reason: "no\x1b[2J\nsecond line"}})
	if got := out.String(); strings.Contains(got, "\x1b") || strings.Count(got, "\n") != 1 {
		t.Errorf("%q", got)
	}
}
