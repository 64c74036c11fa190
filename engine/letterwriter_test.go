package engine

import "testing"

// Two may wait for the letters at the same time: an abandon, and a stop that was overtaken by it.
func TestLetterWriterIsAwaitedByTwo(t *testing.T) {
	w, end, over := newLetterWriter(), make(chan struct{}), make(chan struct{})
	for range letterWrites {
		must(t, w.start(t.Context(), func() { <-end }))
	}
	for range 2 {
		go func() {
			w.wait()
			over <- struct{}{}
		}()
	}
	for range letterWrites {
		end <- struct{}{}
		for range 10 {
			yield()
		}
	}
	<-over
	<-over
	if len(w.room) != 0 {
		t.Errorf("%d tokens are left", len(w.room))
	}
}
