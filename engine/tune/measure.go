package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// How far budgets are raised for a measurement, so that a call shows what it needs.
const (
	raiseWork   = 8 // fuel and time
	raiseMemory = 4
)

// Raised returns the budget under which calls are measured.
func Raised(b runtime.Budget) runtime.Budget {
	b.Fuel = times64(b.Fuel, raiseWork)
	b.Timeout = time.Duration(times64(int64(b.Timeout), raiseWork))
	b.Memory = min(times64(b.Memory, raiseMemory), max(b.Memory, 4<<30-1<<16)) // a wasm memory has 32 bits
	return b
}

func times64(v, by int64) int64 {
	if v > 1<<60/by {
		return max(v, 1<<60)
	}
	return v * by
}

// Feed hands messages to take until there are no more. An error of take ends it.
type Feed func(ctx context.Context, take func(engine.Injection) error) error

// Setup is what Measure works with. The caller owns the plan.
type Setup struct {
	Plan   *pipeline.Plan // loaded with raised budgets
	Codecs map[string]engine.Codec
	Log    *slog.Logger
	Feed   Feed
}

// Outcome is what a measurement saw.
type Outcome struct {
	Evidence *Evidence
	Read     int64 // messages that Feed gave
	Refused  int64 // of them dead-lettered, for whatever reason
}

// Measure runs what Feed gives through the plan's transforms, in memory: nothing is read
// from its sources, nothing written to its sinks.
func Measure(ctx context.Context, s Setup) (out Outcome, err error) {
	st, err := store.Open("", store.Options{Ephemeral: true, Log: s.Log})
	if err != nil {
		return out, fmt.Errorf("tune: open a store in memory: %w", err)
	}
	defer func() {
		if closeErr := st.Close(); err == nil && closeErr != nil {
			err = fmt.Errorf("tune: close the store: %w", closeErr)
		}
	}()
	plan := apart(s.Plan)
	out.Evidence = NewEvidence(plan)
	e, err := engine.New(engine.Options{
		Plan: plan, Store: st, Log: s.Log, Endpoints: nowhere(plan, s.Codecs), Observer: out.Evidence,
		GuestLog:    func(*pipeline.Transform, string, string) {},
		BackoffBase: time.Millisecond, BackoffCap: time.Millisecond,
		Feed: func(ctx context.Context, e *engine.Engine) error {
			return s.Feed(ctx, func(in engine.Injection) error {
				_, err := e.Inject(ctx, in)
				if err == nil {
					out.Read++
				}
				return err
			})
		},
	})
	if err != nil {
		return out, err
	}
	outcome := e.Run(ctx)
	out.Refused = int64(outcome.Balance.DeadLettered)
	switch outcome.Status {
	case engine.StatusCompleted, engine.StatusPartial:
		return out, nil
	case engine.StatusFailed:
		return out, fmt.Errorf("tune: %w", cmp.Or(outcome.Err, errors.New(outcome.Failure)))
	default:
		return out, context.Cause(ctx)
	}
}

// apart is a plan that ends with its feed, whatever fails.
func apart(original *pipeline.Plan) *pipeline.Plan {
	p := *original
	p.Mode = pipeline.ModeBatch
	p.DLQ.StopFailures, p.DLQ.StopWindow = 0, 0
	return &p
}

// nowhere stands for the plan's endpoints.
func nowhere(plan *pipeline.Plan, codecs map[string]engine.Codec) engine.Endpoints {
	e := engine.Endpoints{
		Sources: map[string]func(engine.SourceEnv) (engine.Source, error){},
		Sinks:   map[string]func(engine.SinkEnv) (engine.Sink, error){}, Codecs: codecs,
	}
	for _, s := range plan.Sources {
		e.Sources[s.Plugin] = func(engine.SourceEnv) (engine.Source, error) {
			return nil, errors.New("tune: a source is not opened") // Options.Feed takes its place
		}
	}
	for _, s := range plan.Sinks {
		e.Sinks[s.Plugin] = func(engine.SinkEnv) (engine.Sink, error) { return sink{}, nil }
	}
	return e
}

// sink takes everything and keeps nothing.
type sink struct{}

func (sink) Write(context.Context, []engine.Record) error { return nil }
func (sink) Close() error                                 { return nil }
