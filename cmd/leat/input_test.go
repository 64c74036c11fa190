package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// silent is a stream that says nothing until it ends.
type silent struct{ asked, end chan struct{} }

func (s silent) Read([]byte) (int, error) {
	close(s.asked)
	<-s.end
	return 0, io.EOF
}

// TestInputEndsWithItsContext proves that a reader which waits is told of a signal, that what came before is read whole,
// and that nobody reads the stream a second time beside who was left behind.
func TestInputEndsWithItsContext(t *testing.T) {
	s := silent{make(chan struct{}), make(chan struct{})}
	defer close(s.end)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-s.asked
		cancel()
	}()
	in := newInput(ctx, io.MultiReader(strings.NewReader("one line"), s))
	if text, err := io.ReadAll(in); string(text) != "one line" || !errors.Is(err, context.Canceled) {
		t.Errorf("%q, %v", text, err)
	}
	if n, err := in.Read(make([]byte, 1)); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("again: %d, %v", n, err)
	}
}

// TestInputIsTheStream proves that all of a stream is read, however little is asked for at once, to its own end.
func TestInputIsTheStream(t *testing.T) {
	want := strings.Repeat("0123456789", inputBytes/5)
	got, err := io.ReadAll(newInput(t.Context(), strings.NewReader(want)))
	if err != nil || string(got) != want {
		t.Errorf("%d bytes of %d, %v", len(got), len(want), err)
	}
	if n, err := newInput(t.Context(), strings.NewReader(want)).Read(make([]byte, 3)); n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
