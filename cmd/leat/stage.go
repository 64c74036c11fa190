package main

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/control"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/stage"
	"github.com/leat-run/leat/store"
)

func stageCommand(s surroundings) *cli.Command {
	return group(&cli.Command{
		Name:  "stage",
		Usage: "look at causal stages, and make them begin anew",
		Description: "A stage delivers a record only after every cause of it that it reads. What waits is held, on disk.\n\n" +
			"Example:\n   leat stage holds fulfilment.yaml",
		Subcommands: []*cli.Command{stageHoldsCommand(s), stageDescribeCommand(s), stageResetCommand(s)},
	})
}

func stageHoldsCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:      "holds",
		Usage:     "list the records that wait for their causes, and what blocks a channel",
		ArgsUsage: "FILE",
		Description: "Names, per channel, the record at its head, how long it waits, how many are behind it, and each cause that is\n" +
			"missing: not-fetched (it has not come here) or held-upstream (it is here, and waits itself).\n\n" +
			"Example:\n   leat stage holds fulfilment.yaml --json",
		Action: func(c *cli.Context) error {
			return withStage(c, s, func(plan *pipeline.Stage, a *logAccess) error {
				h, err := holdsOf(c, plan, a)
				if err != nil {
					return err
				}
				if c.Bool("json") {
					return eachJSON(s, h.Holds)
				}
				switch {
				case h.Ready > 0:
					remark(c, s, "%s holds %s with no missing cause: the next run delivers from there", plan.Name, count(int(h.Ready), "record"))
				case len(h.Holds)+len(h.blocked) == 0:
					remark(c, s, "%s holds nothing", plan.Name)
				}
				printHolds(s.stdout, h.Holds, h.blocked)
				return nil
			})
		},
	})
}

// withStage runs f with a stage document and its log.
func withStage(c *cli.Context, s surroundings, f func(*pipeline.Stage, *logAccess) error) error {
	file, err := oneFile(c, "stage document")
	if err != nil {
		return err
	}
	options, err := loadOptions(c, s)
	if err != nil {
		return err
	}
	plan, diagnostics := pipeline.LoadStage(c.Context, file, options)
	if plan == nil {
		return invalid(c, s, file, diagnostics)
	}
	defer plan.Close()
	a, err := openLogAccess(c, false)
	if err != nil {
		return err
	}
	defer a.close()
	return f(plan, a)
}

// waiting is what a stage holds, and what its run is blocked by.
type waiting struct {
	stage.Waiting
	blocked []stage.Blocked
}

// holdsOf looks at a stage, wherever the log is and whether it runs or not.
func holdsOf(c *cli.Context, plan *pipeline.Stage, a *logAccess) (w waiting, err error) {
	var state control.StageState
	switch {
	case a.log != nil:
		w.Waiting, err = stage.OutlineOf(plan).Waiting(a.log)
		return w, startFailure(plan.Name, err)
	case a.run == nil:
		return w, nil
	}
	if state, err = askStage(c, plan, a); err != nil || state.Running {
		return waiting{stage.Waiting{Holds: state.Holds}, state.Blocked}, err
	}
	w.Waiting, err = a.run.StageWaiting(c.Context, stage.OutlineOf(plan))
	return w, startFailure(plan.Name, err)
}

// askStage asks the process that owns the log.
func askStage(c *cli.Context, plan *pipeline.Stage, a *logAccess) (control.StageState, error) {
	state, err := a.run.Stage(c.Context, plan.Name)
	if err != nil {
		return state, fail(exitFailed, "", err)
	}
	return state, nil
}

// runningStage is askStage where the stage has to run.
func runningStage(c *cli.Context, plan *pipeline.Stage, a *logAccess) (control.StageState, error) {
	state, err := askStage(c, plan, a)
	if err == nil && !state.Running {
		err = fail(exitInUse, "stop it, or run the stage with it", errors.New("another run uses the log, without this stage"))
	}
	return state, err
}

func printHolds(out io.Writer, holds []stage.Hold, blocked []stage.Blocked) {
	for _, h := range holds {
		fmt.Fprintf(out, "%s partition %d offset %d is held", h.Topic, h.Partition, h.Offset)
		if h.HeldMS > 0 {
			fmt.Fprintf(out, " for %s", (time.Duration(h.HeldMS) * time.Millisecond).Round(time.Millisecond))
		}
		fmt.Fprintf(out, ", %d behind it\n", h.WaitingBehind)
		for _, m := range h.Missing {
			fmt.Fprintf(out, "    waits for %s partition %d offset %d: %s (frontier %d, position %d)\n", m.Topic, m.Partition, m.Offset, m.Code, m.Frontier, m.Position)
		}
		if len(h.Cycle) > 0 {
			fmt.Fprintf(out, "    these wait for one another, so that somebody claims what is not true: %v\n", h.Cycle)
		}
	}
	for _, b := range blocked {
		again := "is tried again"
		if b.Deterministic {
			again = "would fail again"
		}
		fmt.Fprintf(out, "%s partition %d offset %d is blocked after %s and %s: %s: %s\n", b.Topic, b.Partition, b.Offset, count(b.Tries, "failure"), again, b.Kind, cell(b.Reason))
	}
}

func stageDescribeCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:        "describe",
		Usage:       "print what the log keeps of a stage",
		ArgsUsage:   "FILE",
		Description: "Frontiers and positions per input, held records, states and dead letters.\n\nExample:\n   leat stage describe fulfilment.yaml --json",
		Action: func(c *cli.Context) error {
			return withStage(c, s, func(plan *pipeline.Stage, a *logAccess) error {
				d, err := descriptionOf(c, plan, a)
				if err != nil {
					return err
				}
				if c.Bool("json") {
					return jsonTo(s.stdout).Encode(d)
				}
				return describeStage(s, d)
			})
		},
	})
}

func descriptionOf(c *cli.Context, plan *pipeline.Stage, a *logAccess) (d stage.Description, err error) {
	switch {
	case a.run != nil:
		state, asked := askStage(c, plan, a)
		if asked != nil || state.Running {
			return state.Description, asked
		}
		d, err = a.run.DescribeStage(c.Context, stage.OutlineOf(plan))
	case a.log != nil:
		d, err = stage.Describe(a.log, plan)
	default:
		d = stage.Description{Stage: plan.Name, Entry: plan.Entry, OnFailure: string(plan.OnFailure), Partitions: []stage.TaskDescribed{}}
	}
	if err != nil {
		return d, fail(exitFailed, "", err)
	}
	return d, nil
}

func inUseByRun() error {
	return fail(exitInUse, "stop it first", errors.New("a run uses the log"))
}

func describeStage(s surroundings, d stage.Description) error {
	fmt.Fprintf(s.stdout, "stage %s: %s, on_failure %s, %s\n\n", d.Stage, d.Entry, d.OnFailure, count(d.Letters, "dead letter"))
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PARTITION\tINPUT\tFRONTIER\tPOSITION\tSTART\tEND\tHELD\tREMARK")
	for _, t := range d.Partitions {
		for _, in := range t.Inputs {
			remark := ""
			switch {
			case in.Gone:
				remark = "the topic is gone"
			case !in.Declared:
				remark = "not declared any more"
			}
			fmt.Fprintf(w, "%d\t%s\t%d\t%d\t%d\t%d\t%d\t%s\n", t.Partition, in.Topic, in.Frontier, in.Position, in.Start, in.End, in.Held, remark)
		}
	}
	return w.Flush()
}

func stageResetCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:      "reset",
		Usage:     "forget all that a stage keeps, so that it begins anew",
		ArgsUsage: "FILE",
		Description: "The stage's positions, held records, clocks and fold states are deleted; its topics and dead letters stay.\n" +
			"The next run reads its inputs from where they begin, and emits again.\n\nExample:\n   leat stage reset fulfilment.yaml --yes",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "yes", Usage: "do it"}},
		Action: func(c *cli.Context) error {
			return withStage(c, s, func(plan *pipeline.Stage, a *logAccess) error {
				if a.run != nil {
					return inUseByRun()
				}
				return resetStage(c, s, plan, a.log)
			})
		},
	})
}

func resetStage(c *cli.Context, s surroundings, plan *pipeline.Stage, log *store.Log) error {
	if log == nil {
		remark(c, s, "%s has never run", plan.Name)
		return nil
	}
	d, err := stage.Describe(log, plan)
	if err != nil && !c.Bool("yes") {
		return fail(exitFailed, "add --yes to reset it all the same", err)
	}
	var held int64
	states := 0
	for _, t := range d.Partitions {
		held, states = held+t.Held, states+t.States
	}
	if !c.Bool("yes") {
		return usagef("add --yes", "this forgets %s and the states of %s of stage %s", count(int(held), "held record"), count(states, "key"), plan.Name)
	}
	if err := stage.Reset(log, plan.Name); err != nil {
		return fail(exitFailed, "", err)
	}
	remark(c, s, "%s is reset", plan.Name)
	return nil
}
