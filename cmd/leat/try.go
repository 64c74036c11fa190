package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
)

func tryCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:      "try",
		Usage:     "run one transform on one sample, or a stage's guest on one record",
		ArgsUsage: "FILE",
		Description: "Prints what the transform makes of the sample, or how it fails and where, and what it spent of its budget.\n" +
			"A dead letter is as it entered the node that failed; a row of the spool goes through the steps before first.\n" +
			"The instance is fresh; no store is written. Exit code 4 if the sample fails.\n\n" +
			"With a stage's document --message is the value of a record of --topic, or the whole record with --record: one line of\n" +
			"`leat topic read --json`. A fold is given --state, and what it makes of it is printed before what it emits.\n\n" +
			"Examples:\n   leat try orders.yaml --node enrich --message sample.json\n" +
			"   head -1 orders.jsonl | leat try orders.yaml --node enrich --message - --json\n" +
			"   leat try orders.yaml --letter 01J9… --watch\n" +
			"   leat try fulfilment.yaml --topic payments --key o-1 --message payment.json --state order.json\n" +
			"   leat topic read payments --json --limit 1 | leat try fulfilment.yaml --message - --record",
		Flags: append(append([]cli.Flag{
			&cli.StringFlag{Name: "node", Usage: "the transform; the only one if the pipeline has one: `NODE`"},
			&cli.StringFlag{Name: "profile", Usage: "write where the fuel went, as a pprof profile, to `FILE`", TakesFile: true},
			&cli.BoolFlag{Name: "watch", Usage: "run again whenever the document, the sample or the code changes"},
			paramFlag(),
		}, sampleFlags()...), stageSampleFlags()...),
		Action: func(c *cli.Context) error {
			file, err := oneFile(c, "document")
			if err != nil {
				return err
			}
			if c.Bool("watch") {
				return watchTrial(c, s, file)
			}
			t, err := tryOnce(c, s, file)
			if err != nil {
				return err
			}
			return t.ended()
		},
	})
}

// ended is the exit code of a trial: 4 where the sample failed.
func (t *trial) ended() error {
	if t.failure != nil {
		return ended(exitPartial)
	}
	return nil
}

// tryOnce loads the document, runs the sample and prints what came of it. The trial is returned
// also with an error, as far as it came: watch looks at the files that it used.
func tryOnce(c *cli.Context, s surroundings, file string) (*trial, error) {
	if isStage(file) {
		return tryStage(c, s, file)
	}
	t := &trial{files: []string{file}}
	if err := withoutFlags(c, "a pipeline", stageSampleFlags()...); err != nil {
		return t, err
	}
	options, err := loadOptions(c, s)
	if err != nil {
		return t, err
	}
	options.Fresh = true
	plan, diagnostics := pipeline.Load(c.Context, file, options)
	if plan == nil {
		for _, d := range diagnostics {
			t.files = append(t.files, d.File)
		}
		return t, invalid(c, s, file, diagnostics)
	}
	defer func() { _ = plan.Close() }() // a module that does not close has nothing to say here
	t.files = append(t.files, filesOf(plan)...)
	picked, err := pickSample(c, s, plan)
	if err != nil {
		return t, err
	}
	if picked.file != "" {
		t.files = append(t.files, picked.file)
	}
	if t.node, err = pickNode(c, plan, picked.node); err != nil {
		return t, err
	}
	if picked.message, err = decodeSample(c.Context, plan, t.node, picked); err != nil {
		return t, err
	}
	if err := t.runProfiled(c, options.Catalog, picked.message); err != nil {
		return t, err
	}
	return t, t.print(c, s)
}

// filesOf are the files that a plan is made of, beside the document.
func filesOf(plan *pipeline.Plan) (files []string) {
	for _, t := range plan.Transforms {
		if t.Code.Path != "" {
			files = append(files, t.Code.Path)
		}
		if m, ok := t.Module.(runtime.Sourced); ok {
			files = append(files, m.Files()...)
		} else if t.Code.Path != "" {
			files = append(files, besideCode(t.Code.Path)...)
		}
	}
	return files
}

// besideCode are the files that code in a child process may import: it does not say which it does.
func besideCode(path string) (files []string) {
	files, _ = filesIn(filepath.Dir(path), ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".json") // where the code was read
	return files
}

// pickNode is --node, else the node that the sample comes from, else the only transform.
func pickNode(c *cli.Context, plan *pipeline.Plan, from string) (*pipeline.Transform, error) {
	name := c.String("node")
	if name == "" {
		name = from
	}
	var names []string
	for _, t := range plan.Transforms {
		if t.Module != nil {
			names = append(names, t.Name)
		}
	}
	if name == "" && len(names) == 1 {
		name = names[0]
	}
	at := slices.IndexFunc(plan.Transforms, func(t *pipeline.Transform) bool { return t.Name == name })
	switch {
	case at >= 0 && plan.Transforms[at].Module == nil && len(names) > 0:
		return nil, usagef("pick one of "+strings.Join(names, ", "), "%s is a split: it runs no code", name)
	case at >= 0 && plan.Transforms[at].Module != nil:
		return plan.Transforms[at], nil
	case len(names) == 0:
		return nil, usagef("add one: `leat new transform NAME --lang ts --into "+quoted(plan.File+":NODE")+"`", "%s has no transform to try", plan.File)
	case name == "":
		return nil, usagef("say --node with one of "+strings.Join(names, ", "), "which transform?")
	case from == name:
		return nil, usagef("say --node with one of "+strings.Join(names, ", "), "the sample comes from %s, which is no transform of %s", name, plan.File)
	default:
		return nil, usagef("the transforms are "+strings.Join(names, ", "), "%s has no transform %q", plan.File, name)
	}
}

// trial is one sample's way through one transform.
type trial struct {
	node    *pipeline.Transform
	result  runtime.Result
	failure *runtime.Failure
	log     []logLine
	files   []string // that it depends on
	stage   *stageTrial
}

// logLine is one line that the guest logged.
type logLine struct {
	Level string `json:"level"`
	Text  string `json:"text"`
}

// run applies the transform once, in an instance of its own. The error is the world's.
func (t *trial) run(ctx context.Context, module runtime.Module, m runtime.Message) error {
	host := runtime.Host{Log: func(level, text string) { t.log = append(t.log, logLine{level, text}) }}
	worker, err := runtime.NewWorker(ctx, module, host, nil)
	if err != nil {
		return t.fault(err)
	}
	t.result, err = worker.Apply(ctx, m)
	closed := worker.Close()
	if err = t.fault(err); err == nil && closed != nil {
		return fail(exitFailed, "", fmt.Errorf("closing %s: %w", t.node.Name, closed))
	}
	return err
}

// fault keeps a guest's failure and passes on the world's.
func (t *trial) fault(err error) error {
	if err == nil {
		return nil
	}
	if f, ok := asFailure(err); ok {
		t.failure = f
		return nil
	}
	return fail(exitFailed, "", fmt.Errorf("%s cannot run: %w", t.node.Name, err))
}
