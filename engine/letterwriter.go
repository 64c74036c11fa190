package engine

import (
	"context"
	"sync"
)

// letterWriter writes dead letters beside the nodes, many at a time, so that they share the
// syncs of the disk: where every message fails, a node would otherwise wait for a sync each.
// Its goroutines belong to Run, which awaits them.
type letterWriter struct {
	room     chan struct{} // holds a token per write under way
	awaiting sync.Mutex    // two who wait would each hold tokens that the other one needs
}

// letterWrites bounds the dead letters that are on their way to the disk. Their messages
// are in flight: the gate bounds their bytes.
const letterWrites = 64

func newLetterWriter() letterWriter { return letterWriter{room: make(chan struct{}, letterWrites)} }

// start runs write beside the caller, once there is room; an error is ctx's: it is not run.
func (w *letterWriter) start(ctx context.Context, write func()) error {
	select {
	case w.room <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	go func() {
		write()
		<-w.room
	}()
	return nil
}

// wait returns once every write that was started is over.
func (w *letterWriter) wait() {
	w.awaiting.Lock()
	defer w.awaiting.Unlock()
	for range letterWrites {
		w.room <- struct{}{}
	}
	for range letterWrites {
		<-w.room
	}
}
