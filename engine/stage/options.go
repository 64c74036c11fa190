package stage

import (
	"log/slog"
	"time"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/store"
)

// Bounds of a stage.
const (
	// stepRecords bounds the records that one step fetches, and those that it delivers.
	stepRecords = 256
	// stepBytes bounds what a step takes in, emits and passes over before it is written: one record may go beyond.
	stepBytes = 4 << 20
	// fetchRecords is how many records of one channel are read at once, of at most 1 MiB but for the last.
	fetchRecords = 128
	// retryFirst and retryMost bound the pause before a failure that may not come again is tried again.
	retryFirst = 100 * time.Millisecond
	retryMost  = 30 * time.Second
	// batchTries is how often a batch tries such a record before it ends without it.
	batchTries = 4
	// warnEvery bounds how often a task looks for records that are held too long.
	warnEvery = time.Second
)

// Options of New.
type Options struct {
	Plan *pipeline.Stage // the caller's to Close
	Log  *store.Log      // the caller's to Close
	// Drain tells a batch when it is over; nil is one of this stage's own. Whatever else in the process
	// appends to topics has to be among its members.
	Drain *topic.Drain
	// AcceptLoss starts in spite of records that retention has deleted before they were read.
	AcceptLoss bool
	// Logger receives warnings, and names the stage; nil drops them.
	Logger *slog.Logger
	// Now is the clock of durations that are shown; nil is time.Now.
	Now func() time.Time
	// Delivered, if set, is told of each record that the guest has taken, on the task's goroutine and before
	// the step is durable: for tests and `leat test`.
	Delivered func(Delivery)
}

func (o Options) withDefaults() Options {
	if o.Drain == nil {
		o.Drain = topic.NewDrain()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}
