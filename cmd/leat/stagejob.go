package main

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/stage"
	"github.com/leat-run/leat/store"
)

// stageJob is one stage document on its way through a run.
type stageJob struct {
	plan    *pipeline.Stage
	stage   *stage.Stage
	outcome stage.Outcome
	log     *slog.Logger
	topics  *topics
	at      int // among the documents
}

// isStage says whether a file says that it is a stage. What cannot be read is a pipeline: loading
// it says why.
func isStage(file string) bool { return pipeline.KindOf(file) == pipeline.KindStage }

func (j *stageJob) open(c *cli.Context, t *topics) (err error) {
	j.topics = t
	j.stage, err = stage.New(c.Context, stage.Options{
		Plan: j.plan, Log: t.log, Drain: t.drain, AcceptLoss: c.Bool("accept-loss"), Logger: j.log,
	})
	return startFailure(j.plan.Name, err)
}

// startFailure gives a stage that does not start its exit code.
func startFailure(name string, err error) error {
	if err == nil {
		return nil
	}
	return fail(exitFailed, "", fmt.Errorf("stage %s: %w", name, err))
}

func closeStages(jobs []*stageJob) {
	for _, j := range jobs {
		var errs []error
		if j.stage != nil {
			errs = append(errs, j.stage.Close())
		}
		if err := errors.Join(append(errs, j.plan.Close())...); err != nil && !errors.Is(err, store.ErrFailed) {
			j.log.Error(fmt.Sprintf("closing: %v", err))
		}
	}
}

func stageReadings(jobs []*stageJob) []reading {
	out := make([]reading, len(jobs))
	for i, j := range jobs {
		n := j.stage.Counts()
		out[i] = reading{pipeline: j.plan.Name, read: n.Received, committed: n.Delivered, inFlight: n.Held, deadLetters: n.Letters}
		if full, _ := j.topics.log.Blocked(); full != "" {
			out[i].blocked = full
		} else if blocked := j.stage.Blocked(); len(blocked) > 0 {
			out[i].blocked = fmt.Sprintf("%s partition %d offset %d: %s", blocked[0].Topic, blocked[0].Partition, blocked[0].Offset, firstLine(cell(blocked[0].Reason), 200))
		}
	}
	return out
}

// stageJSON is the object of `run --json` for a stage.
type stageJSON struct {
	Stage        string          `json:"stage"`
	Status       string          `json:"status"`
	Read         int64           `json:"read"`
	Delivered    int64           `json:"delivered"`
	Emitted      int64           `json:"emitted"`
	DeadLettered int64           `json:"dead_lettered"`
	Held         int64           `json:"held"`
	Replays      int64           `json:"replays_skipped"`
	DurationMS   int64           `json:"duration_ms"`
	Failure      string          `json:"failure"`
	Holds        []stage.Hold    `json:"holds"`
	Blocked      []stage.Blocked `json:"blocked"`
}

func stageRow(o stage.Outcome) stageJSON {
	row := stageJSON{
		Stage: o.Stage, Status: string(o.Status), Read: o.Counts.Received, Delivered: o.Counts.Delivered,
		Emitted: o.Counts.Emitted, DeadLettered: o.Counts.Letters, Held: o.Counts.Held, Replays: o.Counts.Replays,
		DurationMS: o.Duration.Milliseconds(), Failure: o.Failure, Holds: o.Holds, Blocked: o.Blocked,
	}
	if row.Holds == nil {
		row.Holds = []stage.Hold{}
	}
	if row.Blocked == nil {
		row.Blocked = []stage.Blocked{}
	}
	return row
}

// settleStage prints how a stage ended, with what it still holds.
func settleStage(c *cli.Context, s surroundings, o stage.Outcome) error {
	if c.Bool("json") {
		return jsonTo(s.stdout).Encode(stageRow(o))
	}
	n := o.Counts
	remark(c, s, "%s: %s: read %d, delivered %d, emitted %d, dead-lettered %d, held %d; %s",
		o.Stage, o.Status, n.Received, n.Delivered, n.Emitted, n.Letters, n.Held, o.Duration.Round(time.Millisecond))
	if !c.Bool("quiet") {
		printHolds(s.stderr, o.Holds, o.Blocked)
	}
	if o.Failure != "" {
		fmt.Fprintf(s.stderr, "leat: %s failed: %s\n", o.Stage, printable(o.Failure))
	}
	return nil
}

func exitOfStage(o stage.Outcome) exitCode {
	return exitOf(engine.Outcome{Status: o.Status, Mode: o.Mode})
}
