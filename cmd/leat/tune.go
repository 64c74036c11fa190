package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/control"
	"github.com/leat-run/leat/engine/endpoint"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/engine/tune"
	"github.com/leat-run/leat/runtime"
)

// evidencePath is where a run's control socket offers its evidence.
const evidencePath = "/tune"

func tuneCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:      "tune",
		Usage:     "say what the budgets should be",
		ArgsUsage: "FILE",
		Description: "Measures what messages need in each transform: over a sample, over the spool of a stopped pipeline, or from a\n" +
			"running one. Prints histograms of fuel, time and memory, what each candidate budget would fail, and a suggestion.\n" +
			"Nothing is read from the document's sources and nothing written to its sinks.\n\n" +
			"Examples:\n   leat tune orders.yaml --sample orders.jsonl\n   leat tune orders.yaml --spool --write\n" +
			"   leat tune orders.yaml --addr .leat/orders/control.sock --what-if fuel=50_000",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "sample", Usage: "measure over the lines of `FILE` (- is standard input)", TakesFile: true},
			&cli.BoolFlag{Name: "spool", Usage: "measure over what the stopped pipeline's spool still holds"},
			&cli.StringFlag{Name: "addr", Usage: "ask the running pipeline at the control socket `ADDR`"},
			&cli.StringFlag{Name: "source", Usage: "the lines of the sample are what the source `NAME` reads"},
			&cli.Float64Flag{Name: "headroom", Value: tune.DefaultHeadroom, Usage: "suggest the greatest need times `N`"},
			&cli.StringSliceFlag{Name: "what-if", Usage: "say what a budget would fail, such as fuel=50_000; may be repeated: `RESOURCE=LIMIT`"},
			&cli.BoolFlag{Name: "write", Usage: "write the suggestions into the document, which keeps its comments and layout"},
			paramFlag(),
		},
		Action: func(c *cli.Context) error {
			name, err := oneFile(c, "document")
			if err != nil {
				return err
			}
			return tuneFile(c, s, name)
		},
	})
}

// tuning is one `leat tune` on its way.
type tuning struct {
	file    string
	plan    *pipeline.Plan
	written map[string]runtime.Budget // by node, as the document says
	options tune.Options
}

func tuneFile(c *cli.Context, s surroundings, file string) error {
	t := &tuning{file: file, written: map[string]runtime.Budget{}}
	var err error
	if t.options, err = tuneOptions(c); err != nil {
		return err
	}
	if err := t.load(c, s); err != nil {
		return err
	}
	defer func() { _ = t.plan.Close() }() // what was asked for was answered
	evidence, err := t.evidence(c, s)
	if err != nil {
		return err
	}
	t.options.Budgets = t.written
	report := tune.Advise(t.plan, evidence, t.options)
	if c.Bool("json") {
		err = jsonTo(s.stdout).Encode(report)
	} else {
		err = tune.Draw(s.stdout, report)
	}
	if err != nil || !c.Bool("write") {
		return err
	}
	return t.write(c, s, report)
}

// tuneOptions checks the flags before anything is done.
func tuneOptions(c *cli.Context) (o tune.Options, err error) {
	var ways []string
	for _, way := range []string{"sample", "spool", "addr"} {
		if c.IsSet(way) {
			ways = append(ways, "--"+way)
		}
	}
	switch {
	case len(ways) == 0:
		return o, usagef("give --sample FILE, --spool or --addr ADDR", "tune over which messages?")
	case len(ways) > 1:
		return o, usagef("give one of them", "tune measures one thing at a time, not %s", strings.Join(ways, " and "))
	case c.IsSet("source") && !c.IsSet("sample"):
		return o, usagef("give --sample too, or leave it out", "--source says of which source the lines of a --sample are")
	}
	if o.Headroom = c.Float64("headroom"); !(o.Headroom >= 1 && o.Headroom <= 1000) {
		return o, usagef("2 is twice the greatest need", "--headroom %v is not from 1 to 1000", o.Headroom)
	}
	for _, text := range c.StringSlice("what-if") {
		candidate, err := candidateOf(text)
		if err != nil {
			return o, err
		}
		o.WhatIf = append(o.WhatIf, candidate)
	}
	return o, nil
}

// candidateOf reads fuel=50_000, timeout=20ms or memory=8MiB.
func candidateOf(text string) (tune.Candidate, error) {
	resource, value, _ := strings.Cut(text, "=")
	candidate, ok := tune.Candidate{Resource: resource}, false
	switch resource {
	case "fuel":
		candidate.Value, ok = document.ParseInt(value)
	case "memory":
		candidate.Value, ok = document.ParseSize(value)
	case "timeout":
		d, err := time.ParseDuration(value)
		candidate.Value, ok = int64(d), err == nil
	}
	if !ok || candidate.Value < 1 {
		return candidate, usagef("write fuel=50_000, timeout=20ms or memory=8MiB", "--what-if %q is no budget", text)
	}
	return candidate, nil
}

// load loads the document; with raised budgets, where its transforms are to be run.
func (t *tuning) load(c *cli.Context, s surroundings) error {
	options, err := loadOptions(c, s)
	if err != nil {
		return err
	}
	options.Budget = func(node string, b runtime.Budget) runtime.Budget {
		t.written[node] = b
		if c.IsSet("addr") {
			return b
		}
		return tune.Raised(b)
	}
	plan, diagnostics := pipeline.Load(c.Context, t.file, options)
	if plan == nil {
		return invalid(c, s, t.file, diagnostics)
	}
	t.plan = plan
	for _, tr := range plan.Transforms {
		if tr.Module != nil {
			return nil
		}
	}
	_ = plan.Close() // the error at hand is the cause
	return fail(exitUsage, "", fmt.Errorf("%s has no transform that runs a script or a module", t.file))
}

// evidence is what the way that the flags name comes to.
func (t *tuning) evidence(c *cli.Context, s surroundings) (*tune.Evidence, error) {
	if c.IsSet("addr") {
		return askEvidence(c.Context, c.String("addr"))
	}
	log, err := newLog(c, s)
	if err != nil {
		return nil, err
	}
	feed, done, err := t.feed(c, s)
	if err != nil {
		return nil, err
	}
	defer done()
	out, err := tune.Measure(c.Context, tune.Setup{Plan: t.plan, Codecs: endpoint.Endpoints().Codecs, Log: log, Feed: feed})
	switch {
	case c.Context.Err() != nil:
		return nil, ended(exitInterrupted)
	case err != nil:
		return nil, measureFailure(err)
	case out.Read == 0:
		return nil, fail(exitUsage, "", fmt.Errorf("there is no message to measure"))
	case out.Refused > 0:
		remark(c, s, "leat: %s of %d failed somewhere; what they needed is not in the numbers", count(int(out.Refused), "message"), out.Read)
	}
	return out.Evidence, nil
}

// measureFailure is a mistake in the sample, or else the engine's end.
func measureFailure(err error) error {
	var known *exitError
	if errors.As(err, &known) {
		return known
	}
	return fail(exitFailed, "", err)
}

// askEvidence reads a run's evidence through its control socket.
func askEvidence(ctx context.Context, address string) (*tune.Evidence, error) {
	run := control.Dial(address)
	defer run.Close()
	evidence := new(tune.Evidence)
	if err := run.Ask(ctx, evidencePath, evidence); err != nil {
		return nil, usagef("is the pipeline running? The address is the control.sock in its store's directory", "nobody answers at %s: %w", address, err)
	}
	return evidence, nil
}
