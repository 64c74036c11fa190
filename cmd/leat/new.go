package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/cmd/leat/scaffold"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/pipeline/document"
)

func newCommand(s surroundings) *cli.Command {
	return group(&cli.Command{
		Name:  "new",
		Usage: "make a pipeline, a transform or a stage to start from",
		Description: "Each runs, has a sample and passes its own tests.\n\n" +
			"Examples:\n   leat new pipeline demo --lang ts\n   leat new transform clean --lang go --into orders.yaml:ingest\n" +
			"   leat new stage fulfilment --lang ts",
		Subcommands: []*cli.Command{newPipelineCommand(s), newTransformCommand(s), newStageCommand(s)},
	})
}

func langFlag() cli.Flag {
	return &cli.StringFlag{Name: "lang", Aliases: []string{"l"}, Usage: "`LANGUAGE` of the guest: " + strings.Join(scaffold.Languages(), ", ")}
}

func newStageCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:      "stage",
		Usage:     "make a directory with a causal stage, its tests and a sample",
		ArgsUsage: "NAME",
		Description: "The stage folds orders and payments into shipments: a payment comes after the order that it claims, whichever is\n" +
			"here first.\n\nExample:\n   leat new stage fulfilment --lang ts",
		Flags: []cli.Flag{langFlag()},
		Action: func(c *cli.Context) error {
			made, err := makeScaffold(c, scaffold.Stage)
			if err != nil {
				return err
			}
			return lay(c, s, ".", made, nil)
		},
	})
}

func newPipelineCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:        "pipeline",
		Usage:       "make a directory with a pipeline, its tests and a sample",
		ArgsUsage:   "NAME",
		Description: "Example:\n   leat new pipeline demo --lang ts",
		Flags:       []cli.Flag{langFlag()},
		Action: func(c *cli.Context) error {
			made, err := makeScaffold(c, scaffold.Pipeline)
			if err != nil {
				return err
			}
			return lay(c, s, ".", made, nil)
		},
	})
}

func newTransformCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:      "transform",
		Usage:     "make a directory with a transform, its tests and a sample",
		ArgsUsage: "NAME",
		Description: "With --into the transform is put into a document behind a node, in place: what read from that node then reads\n" +
			"from the transform. Comments and layout stay.\n\n" +
			"Examples:\n   leat new transform clean --lang js\n   leat new transform clean --lang go --into orders.yaml:ingest",
		Flags: []cli.Flag{langFlag(), &cli.StringFlag{Name: "into", Usage: "put it into a document behind a source or transform: `FILE:AFTER`", TakesFile: true}},
		Action: func(c *cli.Context) error {
			made, err := makeScaffold(c, scaffold.Transform)
			if err != nil {
				return err
			}
			if !c.IsSet("into") {
				return lay(c, s, ".", made, nil)
			}
			target, err := insertInto(c, s, made)
			if err != nil {
				return err
			}
			return lay(c, s, filepath.Dir(target.file), made, target)
		},
	})
}

// makeScaffold reads the command line and makes the files, in memory.
func makeScaffold(c *cli.Context, kind scaffold.Kind) (scaffold.Scaffold, error) {
	example := fmt.Sprintf("for example `leat new %s demo --lang ts`", kind)
	languages := "one of " + strings.Join(scaffold.Languages(), ", ")
	if c.NArg() != 1 {
		return scaffold.Scaffold{}, usagef(example, "one name is wanted, %d were given", c.NArg())
	}
	name := c.Args().First()
	if reason := scaffold.CheckName(name); reason != "" {
		return scaffold.Scaffold{}, usagef(reason, "%q cannot be the name of a %s", name, kind)
	}
	if !c.IsSet("lang") {
		return scaffold.Scaffold{}, usagef("say --lang with "+languages, "which language?")
	}
	language, ok := scaffold.Find(c.String("lang"))
	if !ok {
		return scaffold.Scaffold{}, usagef("give "+languages, "--lang %q", c.String("lang"))
	}
	made, err := scaffold.New(scaffold.Request{Kind: kind, Name: name, Language: language})
	if err != nil {
		return made, fmt.Errorf("make %s: %w", name, err)
	}
	return made, nil
}

// insertion is a document with a transform put into it, not yet written.
type insertion struct {
	file, after string
	text        []byte
}

// insertInto makes the text of --into FILE:AFTER.
func insertInto(c *cli.Context, s surroundings, made scaffold.Scaffold) (*insertion, error) {
	at := strings.LastIndex(c.String("into"), ":")
	if at < 1 || at == len(c.String("into"))-1 {
		return nil, usagef("write --into orders.yaml:ingest, with the node that it goes behind", "--into %q", c.String("into"))
	}
	target := &insertion{file: c.String("into")[:at], after: c.String("into")[at+1:]}
	text, err := pipeline.ReadFile(target.file, document.MaxBytes)
	if err != nil {
		return nil, usagef("name a pipeline's document", "--into: %s: %v", target.file, err)
	}
	options, err := loadOptions(c, s)
	if err != nil {
		return nil, err
	}
	out, diagnostics := pipeline.InsertTransform(c.Context, target.file, text, pipeline.NewTransform{
		Name: made.Node, After: target.after, Plugin: made.Plugin,
	}, options)
	if out == nil {
		return nil, invalid(c, s, target.file, diagnostics)
	}
	target.text = out
	return target, nil
}

// newJSON is the object of `new --json`.
type newJSON struct {
	Files   []string `json:"files"`
	Changed []string `json:"changed"`
	Next    []string `json:"next"`
}

// lay writes the files below dir, none of which may be there, then the document that the transform
// was put into, and says what to do next.
func lay(c *cli.Context, s surroundings, dir string, made scaffold.Scaffold, target *insertion) error {
	report := newJSON{Changed: []string{}, Next: nextCommands(made, dir, target)}
	for _, f := range made.Files {
		report.Files = append(report.Files, filepath.Join(dir, made.Dir, filepath.FromSlash(f.Path)))
	}
	for _, name := range report.Files {
		if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return usagef("give another name, or move it away", "%s is there already: nothing was written", name)
		}
	}
	for i, f := range made.Files {
		if err := writeNew(report.Files[i], f.Text); err != nil {
			return fail(exitFailed, "check the directory and its permissions", err)
		}
	}
	if target != nil {
		if err := replaceText(target.file, target.text); err != nil {
			return fail(exitFailed, "the transform's own files are written", err)
		}
		report.Changed = append(report.Changed, target.file)
	}
	if c.Bool("json") {
		return jsonTo(s.stdout).Encode(report)
	}
	if !c.Bool("quiet") {
		fmt.Fprint(s.stdout, laidText(made, dir, target, report))
	}
	return nil
}

// writeNew writes a file that must not be there.
func writeNew(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// nextCommands are what an author does first.
func nextCommands(made scaffold.Scaffold, dir string, target *insertion) []string {
	next := []string{"cd " + quoted(filepath.Join(dir, made.Dir))}
	for _, command := range []string{made.Setup, made.Build, "leat test"} {
		if command != "" {
			next = append(next, command)
		}
	}
	if target != nil {
		return append(next, "cd "+backTo(filepath.Join(dir, made.Dir)), "leat verify "+quoted(target.file))
	}
	if made.Node != made.Dir {
		next = append(next, "leat run "+made.Document)
	}
	return append(next, "leat try "+made.Document+" "+made.Try+" --watch")
}

// backTo is the way from a relative directory to where it is relative to.
func backTo(dir string) string {
	if filepath.IsAbs(dir) {
		return "-"
	}
	parts := strings.Split(filepath.ToSlash(filepath.Clean(dir)), "/")
	for i, part := range parts {
		if part == ".." {
			return "-"
		}
		parts[i] = ".."
	}
	return strings.Join(parts, "/")
}

func laidText(made scaffold.Scaffold, dir string, target *insertion, report newJSON) string {
	var b strings.Builder
	fmt.Fprintf(&b, "made %s with %s\n", filepath.Join(dir, made.Dir)+string(filepath.Separator), count(len(made.Files), "file"))
	if target != nil {
		fmt.Fprintf(&b, "%s: %s reads from %s, and what read from %s reads from %s\n", target.file, made.Node, target.after, target.after, made.Node)
	}
	b.WriteString("\nnext:\n")
	for _, line := range report.Next {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	if made.Needs != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.ReplaceAll(made.Needs, "`", ""))
	}
	return b.String()
}
