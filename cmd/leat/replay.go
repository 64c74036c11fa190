package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/store"
)

func replayCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:      "replay",
		Usage:     "send dead letters into the node that failed, or a window of the spool through the pipeline again",
		ArgsUsage: "FILE",
		Description: "Each letter enters the node that failed, as it entered it; branches that had succeeded are not run again.\n" +
			"A letter that fails again stays, with its new failure. Without a filter all letters are replayed but those in\n" +
			"quarantine, which only --id picks. A running pipeline replays with the code that it was started with; a\n" +
			"stopped one with the code as it is now.\n\n" +
			"Examples:\n   leat replay orders.yaml --node enrich --dry-run\n   leat replay orders.yaml --with fixed.js\n   leat replay orders.yaml --delete\n   leat replay orders.yaml --spool 1200:1299",
		Flags: append(letterFilters(),
			&cli.StringFlag{Name: "at", Usage: "enter at `NODE` instead of the one that failed"},
			&cli.BoolFlag{Name: "delete", Usage: "delete the letters that then committed"},
			&cli.BoolFlag{Name: "dry-run", Usage: "run the failed step only, without any effect, and show what would come of it"},
			&cli.StringFlag{Name: "with", Usage: "a dry run with the code in `FILE` instead of the node's", TakesFile: true},
			&cli.StringFlag{Name: "spool", Usage: "replay the committed rows `FROM:TO` of the spool instead of letters, both ends included"},
			paramFlag(),
		),
		Action: func(c *cli.Context) error {
			file, err := oneFile(c, "document")
			if err != nil {
				return err
			}
			q, err := newLetterQuery(c, time.Now())
			if err != nil {
				return err
			}
			if err := checkSpool(c, q); err != nil {
				return err
			}
			defer q.remark(c, s)
			return replay(c, s, file, q)
		},
	})
}

// replay finds out who can replay: this process in a sandbox, the run that owns the store, or
// this process with the store of a stopped pipeline.
func replay(c *cli.Context, s surroundings, file string, q *letterQuery) error {
	options, err := loadOptions(c, s)
	if err != nil {
		return err
	}
	if isStage(file) {
		return replayStage(c, s, file, options, q)
	}
	a, err := openAccess(c, s, file)
	if err != nil {
		return err
	}
	defer func() { a.close() }()
	if a.run != nil && !dry(c) {
		return replayThrough(c, s, a, q)
	}
	plan, diagnostics := pipeline.Load(c.Context, file, options)
	if plan == nil {
		return invalid(c, s, file, diagnostics)
	}
	if err := checkAt(c, nodeNames(plan)); err != nil {
		return errors.Join(err, plan.Close())
	}
	if dry(c) {
		return errors.Join(dryRun(c, s, plan, a, q), plan.Close())
	}
	a.close() // the run wants the store as its document says
	st := a.store
	a.store = nil
	if st == nil {
		_, err := q.selection(c.Context, a)
		if err == nil {
			err = report(c, s, replayed{})
		}
		return errors.Join(err, plan.Close())
	}
	return replayStopped(c, s, plan, q)
}

// dry says that nothing may be changed: a candidate is only ever tried.
func dry(c *cli.Context) bool { return c.Bool("dry-run") || c.String("with") != "" }

// checkAt refuses an --at that is none of the nodes.
func checkAt(c *cli.Context, names []string) error {
	at := c.String("at")
	if at == "" || slices.Contains(names, at) {
		return nil
	}
	return usagef(document.DidYouMean(at, slices.Values(names)), "there is no node %q", at)
}

// nodeNames are all nodes of a plan, in the order of the data's flow.
func nodeNames(plan *pipeline.Plan) (names []string) {
	for _, n := range plan.Sources {
		names = append(names, n.Name)
	}
	for _, n := range plan.Transforms {
		names = append(names, n.Name)
	}
	for _, n := range plan.Sinks {
		names = append(names, n.Name)
	}
	return names
}

// runningNodes are all nodes of the pipeline as it runs, which its document may have outgrown.
func runningNodes(s engine.RunStatus) (names []string) {
	for _, n := range s.Sources {
		names = append(names, n.Name)
	}
	for _, n := range s.Nodes {
		names = append(names, n.Name)
	}
	return names
}

// selection is what the filters pick for a replay: never a letter in quarantine, unless its id
// is given.
type selection struct {
	ids         []string
	quarantined int
}

func (q *letterQuery) selection(ctx context.Context, a *access) (sel selection, err error) {
	err = q.each(ctx, a, func(l store.DeadLetter) error {
		if l.Quarantined && len(q.ids) == 0 {
			sel.quarantined++
		} else {
			sel.ids = append(sel.ids, l.ID)
		}
		return nil
	})
	return sel, err
}

// replayThrough lets the run that owns the store replay.
func replayThrough(c *cli.Context, s surroundings, a *access, q *letterQuery) error {
	status, err := a.run.Status(c.Context)
	if err != nil {
		return a.failure("replay", err)
	}
	if err := checkAt(c, runningNodes(status)); err != nil {
		return err
	}
	if c.IsSet("spool") {
		result, err := a.run.ReplayWindow(c.Context, windowOf(c), c.String("at"))
		if err != nil {
			return a.failure("replay", windowFailure(err))
		}
		return report(c, s, replayedBy(c, result))
	}
	sel, err := q.selection(c.Context, a)
	if err != nil {
		return err
	}
	result, err := a.run.Replay(c.Context, sel.ids, c.String("at"), c.Bool("delete"))
	if err != nil {
		return a.failure("replay (the run goes on with the letters that it has taken in)", err)
	}
	result.Quarantined += sel.quarantined
	if result.FailedAgain > 0 {
		remark(c, s, "the pipeline runs with the code that it was started with: restart it to replay with new code")
	}
	return report(c, s, replayedBy(c, result))
}

// replayStopped runs the pipeline without its sources: what an earlier run left is finished
// first, then the letters are selected and replayed.
func replayStopped(c *cli.Context, s surroundings, plan *pipeline.Plan, q *letterQuery) error {
	log, err := newLog(c, s)
	if err == nil {
		err = oneOutput(c, plan)
	}
	if err != nil {
		return errors.Join(err, plan.Close())
	}
	log = log.With("pipeline", plan.Name)
	j := &job{plan: plan, log: log, guests: &guestLog{log: log}}
	defer closeJobs([]*job{j})
	var result engine.ReplayResult
	err = j.open(c, s, func(ctx context.Context, e *engine.Engine) (err error) {
		result, err = replayFed(ctx, c, e, j.store, q)
		return err
	})
	if err != nil {
		return err
	}
	outcome := runJobs(c, s, []*job{j})[0]
	j.guests.remark(c, s)
	return reportOutcome(c, s, outcome, result)
}

// replayFed is what a stopped pipeline is fed with instead of its sources.
func replayFed(ctx context.Context, c *cli.Context, e *engine.Engine, st *store.Store, q *letterQuery) (engine.ReplayResult, error) {
	if err := e.AwaitLeftovers(ctx); err != nil {
		return engine.ReplayResult{}, err
	}
	if c.IsSet("spool") {
		window := windowOf(c)
		result, err := e.Replay(ctx, engine.ReplayRequest{Window: &window, At: c.String("at")})
		return result, windowFailure(err)
	}
	sel, err := q.selection(ctx, &access{store: st})
	if err != nil || len(sel.ids) == 0 {
		return engine.ReplayResult{Quarantined: sel.quarantined}, err
	}
	result, err := e.Replay(ctx, engine.ReplayRequest{IDs: sel.ids, At: c.String("at"), Delete: c.Bool("delete")})
	result.Quarantined += sel.quarantined
	return result, err
}

// reportOutcome reports the result of a run that only replayed, and how that run ended.
func reportOutcome(c *cli.Context, s surroundings, o engine.Outcome, result engine.ReplayResult) error {
	var known *exitError
	if errors.As(o.Err, &known) {
		return known // the selection is at fault, and nothing was replayed
	}
	err := report(c, s, replayedBy(c, result.Now()))
	switch o.Status {
	case engine.StatusFailed:
		return fail(exitFailed, "", fmt.Errorf("%s failed: %s", o.Pipeline, o.Failure))
	case engine.StatusInterrupted:
		remark(c, s, "interrupted: what was on its way and not committed goes on with the next run or replay")
		return ended(exitInterrupted)
	}
	return err
}

// report prints the result, and ends with 4 unless every selected letter committed, or would.
func report(c *cli.Context, s surroundings, r replayed) error {
	if c.Bool("json") {
		if err := jsonTo(s.stdout).Encode(r.row()); err != nil {
			return err
		}
	} else if err := printReplayed(c, s, r); err != nil {
		return err
	}
	if r.committed < r.selected {
		return ended(exitPartial)
	}
	return nil
}
