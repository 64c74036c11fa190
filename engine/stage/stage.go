package stage

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/store"
)

// Stage is a causal stage at work. Make it with New; it runs once. Holds, State and Drain may be called
// at any time, from any goroutine.
type Stage struct {
	opt     Options
	plan    *pipeline.Stage
	log     *store.Log
	names   map[causal.TopicID]string // of the inputs
	decoder map[causal.TopicID]string
	outputs map[string]store.Topic
	tasks   []*task
	started Start

	condition condition
	running   sync.Mutex
	ran       bool
	closeOnce sync.Once
	draining  chan struct{}
	drainOnce sync.Once
}

// Outcome is how a run ended.
type Outcome struct {
	Stage    string
	Status   engine.Status
	Mode     pipeline.Mode
	Failure  string // the sentence to show; "" unless Status is failed
	Err      error  // for errors.Is
	Counts   Counts
	Holds    []Hold
	Blocked  []Blocked
	Duration time.Duration
}

// Counts are of one run.
type Counts struct {
	Received    int64
	Delivered   int64 // to the guest, with success
	Emitted     int64
	Letters     int64 // dead letters
	Replays     int64 // records that were received before
	Held        int64 // gauge
	Truncated   int64 // entries of clocks
	Skipped     int64 // truncations that failed
	StampLength int64 // gauge: entries of the widest stamp
}

var errRunTwice = errors.New("stage: a stage runs once")

// Run works until ctx ends, Drain is called, a batch is done, or something fails that cannot be
// tried again. It closes the stage.
func (s *Stage) Run(ctx context.Context) Outcome {
	s.running.Lock()
	defer s.running.Unlock()
	began := s.opt.Now()
	if s.ran {
		return s.outcome(began, errRunTwice, false)
	}
	s.ran = true
	s.condition.set(engine.StateRunning, nil)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	errs := make([]error, len(s.tasks))
	var wg sync.WaitGroup
	for i, t := range s.tasks {
		wg.Go(func() {
			if errs[i] = t.run(ctx); errs[i] != nil {
				stop(errs[i])
			}
		})
	}
	wg.Wait()
	interrupted := ctx.Err() != nil || s.isDraining()
	err := errors.Join(append(errs, s.Close())...)
	s.condition.set(engine.StateStopped, err)
	return s.outcome(began, err, interrupted)
}

// Drain ends a run as its context's end does.
func (s *Stage) Drain() { s.drainOnce.Do(func() { close(s.draining) }) }

func (s *Stage) isDraining() bool {
	select {
	case <-s.draining:
		return true
	default:
		return false
	}
}

// Close releases the guests of a stage that does not run. It is idempotent.
func (s *Stage) Close() (err error) {
	s.closeOnce.Do(func() {
		for _, t := range s.tasks {
			err = errors.Join(err, t.close())
		}
	})
	return err
}

func (s *Stage) outcome(began time.Time, err error, interrupted bool) Outcome {
	o := Outcome{
		Stage: s.plan.Name, Status: engine.StatusCompleted, Mode: s.plan.Mode, Counts: s.Counts(),
		Holds: s.Holds(), Blocked: s.Blocked(), Duration: s.opt.Now().Sub(began),
	}
	switch {
	case err != nil:
		o.Status, o.Err, o.Failure = engine.StatusFailed, err, err.Error()
	case interrupted:
		o.Status = engine.StatusInterrupted
	case o.Counts.Held > 0 || o.Counts.Letters > 0:
		o.Status = engine.StatusPartial
	}
	return o
}

// Counts sums up the tasks.
func (s *Stage) Counts() (sum Counts) {
	for _, t := range s.tasks {
		c := t.snapshot().counts
		sum.Received += c.Received
		sum.Delivered += c.Delivered
		sum.Emitted += c.Emitted
		sum.Letters += c.Letters
		sum.Replays += c.Replays
		sum.Held += c.Held
		sum.Truncated += c.Truncated
		sum.Skipped += c.Skipped
		sum.StampLength = max(sum.StampLength, c.StampLength)
	}
	return sum
}

// Name is the document's.
func (s *Stage) Name() string { return s.plan.Name }

// Started tells what the start found.
func (s *Stage) Started() Start { return s.started }

// topicName is the name of an input, or its id.
func (s *Stage) topicName(id causal.TopicID) string {
	if name, ok := s.names[id]; ok {
		return name
	}
	if t, ok := s.log.TopicByID(store.TopicID(id)); ok {
		return t.Name
	}
	return id.String()
}

// place is a record's place for people.
func (s *Stage) place(at causal.Coordinate) string {
	return fmt.Sprintf("%s partition %d offset %d", s.topicName(at.Channel.Topic), at.Channel.Partition, at.Offset)
}
