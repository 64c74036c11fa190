package engine

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// Options of New. Plan, Store and Endpoints are required; the rest has defaults. The
// engine owns neither the plan nor the store: the caller closes both after Run.
type Options struct {
	Plan      *pipeline.Plan
	Store     *store.Store
	Endpoints Endpoints

	Log    *slog.Logger // nil drops it; the caller gives it the pipeline's name
	Stdin  io.Reader
	Stdout io.Writer
	// Now is the clock of stamps; nil is time.Now. Pauses and time limits use the machine's.
	Now func() time.Time
	// NewID makes message and letter ids; nil makes 26 characters that sort by time.
	NewID func() string
	idAt  func(time.Time) string // NewID for who has looked at the clock
	// RunID names this run in dead letters; "" makes one.
	RunID string

	// Gate is shared by several runs of one pipeline; nil makes one from the plan's limits.
	Gate *Gate
	// Stamps are meta entries that every live message gets; the names may be reserved ones.
	Stamps runtime.Meta

	// Isolated makes a module that runs a transform's code in a child process, for the rows
	// that were in flight at an unclean stop. nil runs them in process like all others.
	Isolated func(context.Context, *pipeline.Transform) (runtime.Module, error)
	// Observer is told of calls, writes and latencies; nil is nobody.
	Observer Observer
	// GuestLog takes what guests log and print, on the worker's goroutine; nil puts it into
	// Log at the guest's own level. level is one of runtime.Host's.
	GuestLog func(node *pipeline.Transform, level, text string)

	// Feed takes the place of the sources: it runs after what a crash left was replayed, may
	// call Inject and Replay, and the run ends once it returned and everything is committed.
	Feed func(context.Context, *Engine) error
	// AbandonOnCancel dead-letters what is unfinished when the caller cancels, instead of
	// leaving it to the next run's replay.
	AbandonOnCancel bool
	// AbandonTimeout bounds that; 0 is 10 s.
	AbandonTimeout time.Duration

	// LetterBackoff is the pause before a dead letter that could not be written is tried
	// again; 0 is 500 ms.
	LetterBackoff time.Duration
	// BackoffBase is the first pause between attempts; 0 is 100 ms. BackoffCap bounds the
	// exponential growth; 0 is 30 s.
	BackoffBase, BackoffCap time.Duration
	// ReorderWindow is how many messages a transform with several workers may be ahead of
	// the slowest one; 0 is 1,024. ReorderBytes bounds the outputs that wait; 0 is 64 MiB.
	ReorderWindow int
	ReorderBytes  int64
	// Grace is how long Run waits, after a hard stop, for nodes that do not end; 0 is 5 s.
	Grace time.Duration
}

const (
	chunkRows  = 1000    // messages that are appended and registered together
	chunkBytes = 1 << 20 // and their bytes
)

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		ids := newIDs(o.Now)
		o.NewID, o.idAt = ids.next, ids.at
	} else {
		newID := o.NewID
		o.idAt = func(time.Time) string { return newID() }
	}
	if o.RunID == "" {
		o.RunID = o.NewID()
	}
	if o.Gate == nil {
		o.Gate = NewGate(o.Plan.Limits.MaxInFlight, o.Plan.Limits.MaxInFlightBytes)
	}
	orDefault(&o.AbandonTimeout, 10*time.Second)
	orDefault(&o.LetterBackoff, 500*time.Millisecond)
	orDefault(&o.BackoffBase, 100*time.Millisecond)
	orDefault(&o.BackoffCap, 30*time.Second)
	orDefault(&o.ReorderWindow, 1024)
	orDefault(&o.ReorderBytes, 64<<20)
	orDefault(&o.Grace, 5*time.Second)
	return o
}

func orDefault[T comparable](field *T, def T) {
	var zero T
	if *field == zero {
		*field = def
	}
}

func (o Options) validate() error {
	if o.Plan == nil || o.Store == nil {
		return errors.New("engine: Options need a Plan and a Store")
	}
	return nil
}
