package main

import (
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
)

// settleJSON is the object of `run --json` (cli.md, Machine output).
type settleJSON struct {
	Pipeline     string       `json:"pipeline"`
	Status       string       `json:"status"`
	Read         int64        `json:"read"`
	Committed    uint64       `json:"committed"`
	Filtered     uint64       `json:"filtered"`
	Delivered    uint64       `json:"delivered"`
	DeadLettered uint64       `json:"dead_lettered"`
	Dropped      uint64       `json:"dropped"`
	Replayed     int64        `json:"replayed"`
	Outstanding  int          `json:"outstanding"`
	Checkpoint   uint64       `json:"checkpoint"`
	DurationMS   int64        `json:"duration_ms"`
	Failure      string       `json:"failure"`
	Branches     branchesJSON `json:"branches"`
	FilteredBy   filteredJSON `json:"filtered_by"`
	Blocked      string       `json:"blocked,omitempty"` // why the run made no progress when it was told to end
}

type branchesJSON struct {
	Delivered    uint64 `json:"delivered"`
	Filtered     uint64 `json:"filtered"`
	Dropped      uint64 `json:"dropped"`
	DeadLettered uint64 `json:"dead_lettered"`
}

type filteredJSON struct {
	Null     uint64 `json:"null"`
	NoOutput uint64 `json:"no_output"`
	NoMatch  uint64 `json:"no_match"`
}

func settleRow(o engine.Outcome) settleJSON {
	b := o.Balance
	return settleJSON{
		Pipeline: o.Pipeline, Status: string(o.Status), Read: o.Read, Committed: b.Committed,
		Filtered: b.Filtered(), Delivered: b.Delivered, DeadLettered: b.DeadLettered, Dropped: b.Dropped,
		Replayed: o.Replayed, Outstanding: o.Outstanding, Checkpoint: uint64(o.Checkpoint),
		DurationMS: o.Duration.Milliseconds(), Failure: o.Failure,
		Branches:   branchesJSON{b.Delivered, b.Filtered(), b.Dropped, b.DeadLettered},
		FilteredBy: filteredJSON{b.Null, b.NoOutput, b.NoMatch},
	}
}

// settle prints how a run ended: one JSON object on standard output, or the settle line on
// standard error, where progress was.
func settle(c *cli.Context, s surroundings, j *job, o engine.Outcome) error {
	blocked, _ := j.blocked.Load().(string)
	if c.Bool("json") {
		row := settleRow(o)
		row.Blocked = blocked
		return jsonTo(s.stdout).Encode(row)
	}
	b := o.Balance
	remark(c, s, "%s: %s: read %d, replayed %d = committed %d + outstanding %d; branches %d = delivered %d + filtered %d + dropped %d + dead-lettered %d; checkpoint %d; %s",
		o.Pipeline, o.Status, o.Read, o.Replayed, b.Committed, o.Outstanding, b.Opened, b.Delivered, b.Filtered(),
		b.Dropped, b.DeadLettered, o.Checkpoint, o.Duration.Round(time.Millisecond))
	if blocked != "" {
		remark(c, s, "%s was blocked: %s", o.Pipeline, blocked)
	}
	if o.Failure != "" {
		fmt.Fprintln(s.stderr, joinHint(o.Pipeline+" failed: "+o.Failure, failureHint(j.plan, o)))
	}
	return nil
}

// exitOf maps an outcome to the process's exit code.
func exitOf(o engine.Outcome) exitCode {
	switch {
	case o.Status == engine.StatusFailed:
		return exitFailed
	case o.Status == engine.StatusInterrupted && o.Mode == pipeline.ModeBatch:
		return exitInterrupted
	case o.Status == engine.StatusPartial && o.Mode == pipeline.ModeBatch:
		return exitPartial
	default:
		return exitCompleted
	}
}
