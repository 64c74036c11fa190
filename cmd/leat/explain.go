package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/endpoint"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/runtime"
)

func explainCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:      "explain",
		Usage:     "print the plan with every default, and where a message would go",
		ArgsUsage: "FILE",
		Description: "With a message, shows what each edge and each transform would make of it. Nothing is written, and no sink\n" +
			"takes anything. A stage is told of from its topics to its topics.\n\n" +
			"Examples:\n   leat explain orders.yaml\n   leat explain fulfilment.yaml\n   leat explain orders.yaml --format mermaid\n   head -1 orders.jsonl | leat explain orders.yaml --message -",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Value: "text", Usage: "text, mermaid or json"},
			&cli.StringFlag{Name: "message", Aliases: []string{"m"}, Usage: "follow the message in `FILE`, or - for standard input", TakesFile: true},
			&cli.StringFlag{Name: "source", Usage: "the message comes out of `SOURCE`, where there are several"},
			paramFlag(),
		},
		Action: func(c *cli.Context) error {
			file, err := oneFile(c, "document")
			if err != nil {
				return err
			}
			return explainDocument(c, s, file)
		},
	})
}

func explainDocument(c *cli.Context, s surroundings, file string) error {
	format, err := oneOf(c, "format", "text", "mermaid", "json")
	if err != nil {
		return err
	}
	if c.Bool("json") {
		format = "json"
	}
	options, err := loadOptions(c, s)
	if err != nil {
		return err
	}
	if isStage(file) {
		return explainStage(c, s, file, format, options)
	}
	plan, diagnostics := pipeline.Load(c.Context, file, options)
	if plan == nil {
		return invalid(c, s, file, diagnostics)
	}
	w, err := walkOf(c, s, plan)
	if err == nil {
		err = printExplained(s, format, plan, w)
	}
	return errors.Join(err, plan.Close())
}

// explainStage prints the plan of a stage. Where a record would go is for `leat try` to say, since it depends on its key's state.
func explainStage(c *cli.Context, s surroundings, file, format string, options pipeline.LoadOptions) error {
	for _, name := range []string{"message", "source"} {
		if c.IsSet(name) {
			return usagef("run one record through it: leat try "+quoted(file)+" --topic NAME --message FILE", "--%s has no meaning for a stage", name)
		}
	}
	plan, diagnostics := pipeline.LoadStage(c.Context, file, options)
	if plan == nil {
		return invalid(c, s, file, diagnostics)
	}
	var err error
	switch resolved := plan.Resolve(); format {
	case "json":
		err = jsonTo(s.stdout).Encode(resolved)
	case "mermaid":
		_, err = fmt.Fprint(s.stdout, resolved.Mermaid())
	default:
		_, err = fmt.Fprint(s.stdout, resolved.Text())
	}
	return errors.Join(err, plan.Close())
}

// walk is where a message goes; nil where none was given.
type walk struct {
	visits []engine.Visit
	cut    bool
}

func walkOf(c *cli.Context, s surroundings, plan *pipeline.Plan) (*walk, error) {
	if !c.IsSet("message") {
		return nil, nil
	}
	source, err := sourceOf(c, plan)
	if err != nil {
		return nil, err
	}
	payload, err := readMessage(c.String("message"), newInput(c.Context, s.stdin))
	if err != nil {
		return nil, err
	}
	return walkFrom(c.Context, plan, source, runtime.Message{
		ID: "explain", Payload: payload, Ingested: time.Now().UTC().Truncate(time.Millisecond),
	})
}

func walkFrom(ctx context.Context, plan *pipeline.Plan, source string, m runtime.Message) (*walk, error) {
	sandbox := engine.NewSandbox(plan, endpoint.Endpoints().Codecs)
	visits, cut, err := sandbox.Walk(ctx, source, m)
	if err = errors.Join(err, sandbox.Close()); err != nil {
		return nil, fail(exitFailed, "", err)
	}
	return &walk{visits, cut}, nil
}

// sourceOf is the source that the message comes out of.
func sourceOf(c *cli.Context, plan *pipeline.Plan) (string, error) {
	var names []string
	for _, s := range plan.Sources {
		names = append(names, s.Name)
	}
	name := c.String("source")
	switch {
	case name == "" && len(names) == 1:
		return names[0], nil
	case name == "":
		return "", usagef(document.List("say which with --source: ", slices.Values(names)), "the pipeline has %d sources", len(names))
	case !slices.Contains(names, name):
		return "", usagef(document.DidYouMean(name, slices.Values(names)), "there is no source %q", name)
	}
	return name, nil
}

// messageMost bounds a message that a verb reads.
const messageMost = 64 << 20

// readMessage reads one message's bytes, without the line feed at its end.
func readMessage(name string, stdin io.Reader) ([]byte, error) {
	in := stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, usagef("give a file, or - for standard input", "--message: %v", err)
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, messageMost+1))
	switch {
	case err != nil:
		return nil, usagef("", "--message: %w", err)
	case len(text) > messageMost:
		return nil, usagef("", "--message: more than %d bytes", messageMost)
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r")), nil
}

// explainJSON is the object of `explain --format json`: the plan, and the walk where a
// message was given.
type explainJSON struct {
	pipeline.Resolved
	Walk *walkJSON `json:"walk,omitempty"`
}

func printExplained(s surroundings, format string, plan *pipeline.Plan, w *walk) (err error) {
	resolved := plan.Resolve()
	switch {
	case format == "json":
		err = jsonTo(s.stdout).Encode(explainJSON{resolved, w.row()})
	case format == "mermaid":
		_, err = fmt.Fprint(s.stdout, resolved.Mermaid(w.marks()))
	case w != nil:
		err = printWalk(s.stdout, plan, w)
	default:
		_, err = fmt.Fprint(s.stdout, resolved.Text())
	}
	return err
}
