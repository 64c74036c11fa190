package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestWatch proves that a changed, a new and a vanished file are told once each, that nothing is
// told while nothing changes, and that the files of the last run are the ones looked at.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "a.ts"), filepath.Join(dir, "b.ts")
	write := func(name, text string) { // in one step: a look under way sees the old file or the new one
		t.Helper()
		whole := name + ".new"
		if err := os.WriteFile(whole, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(whole, name); err != nil {
			t.Fatal(err)
		}
	}
	write(first, "1")
	ctx, stop := context.WithCancel(t.Context())
	tick, told, over := make(chan time.Time), make(chan string, 10), make(chan struct{})
	go func() {
		defer close(over)
		watch(ctx, tick, []string{first}, time.Now(), func(name string) []string {
			told <- name
			return []string{first, second}
		})
	}()
	look := func() { tick <- time.Time{}; tick <- time.Time{} } // the second is taken once the first was dealt with
	expect := func(want string) {
		t.Helper()
		look()
		select {
		case got := <-told:
			if got != want {
				t.Errorf("told of %s, want %s", got, want)
			}
		default:
			if want != "" {
				t.Errorf("not told of %s", want)
			}
		}
	}
	write(second, "1") // not looked at yet
	expect("")
	write(first, "22")
	expect("a.ts")
	expect("")
	write(second, "22")
	expect("b.ts")
	if err := os.Remove(second); err != nil {
		t.Fatal(err)
	}
	expect("b.ts")
	expect("")
	stop()
	<-over
}
