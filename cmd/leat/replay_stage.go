package main

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/stage"
)

// replayStage replays dead letters of a stage: through the run that owns the log, or in this process.
// A letter that succeeds is gone, since its replay and its deletion are one step.
func replayStage(c *cli.Context, s surroundings, file string, options pipeline.LoadOptions, q *letterQuery) error {
	for _, flag := range []string{"at", "dry-run", "with", "spool"} {
		if c.IsSet(flag) {
			return usagef("leave it out", "--%s has no meaning for a stage", flag)
		}
	}
	plan, diagnostics := pipeline.LoadStage(c.Context, file, options)
	if plan == nil {
		return invalid(c, s, file, diagnostics)
	}
	defer plan.Close()
	log, err := openLogAccess(c, false)
	if err != nil {
		return err
	}
	defer log.close()
	a := &access{name: plan.Name, only: true, dataDir: c.String("data-dir")}
	replay := func(context.Context, ...string) (engine.ReplayResult, error) { return engine.ReplayResult{}, nil }
	switch {
	case log.run != nil:
		if _, err := runningStage(c, plan, log); err != nil {
			return err
		}
		a.run = log.run.Client
		replay = func(ctx context.Context, ids ...string) (engine.ReplayResult, error) {
			return log.run.ReplayStage(ctx, plan.Name, ids...)
		}
	case log.log != nil:
		st, err := stage.New(c.Context, stage.Options{Plan: plan, Log: log.log})
		if err != nil {
			return startFailure(plan.Name, err)
		}
		defer st.Close()
		a.store, replay = log.log.Store, st.Replay
	}
	sel, err := q.selection(c.Context, a)
	if err != nil {
		return err
	}
	result, err := replay(c.Context, sel.ids...)
	if err != nil {
		return a.failure("replay", errors.Join(err))
	}
	result.Quarantined += sel.quarantined
	return report(c, s, replayedBy(c, result))
}
