package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/pipeline/document"
)

// surroundings is what a command may touch of the process it runs in; tests give their own.
type surroundings struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	rows           io.Writer // standard output as stdout sinks write it: that it fails is their edge's affair
	env            func(string) (string, bool)
	terminal       bool // stderr is a terminal: live progress, text logs
	width          func() int
}

// process is the real surroundings.
func process() surroundings {
	fd := int(os.Stderr.Fd())
	return surroundings{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.LookupEnv,
		terminal: term.IsTerminal(fd),
		width: func() int {
			if w, _, err := term.GetSize(fd); err == nil && w > 0 {
				return w
			}
			return 80
		},
	}
}

// Main runs one command line (without the program's name) and returns its exit code.
func Main(args []string, s surroundings) exitCode {
	out := &output{to: s.stdout}
	s.rows, s.stdout = s.stdout, out
	app := newApp(s)
	ctx, stop := withSignals(context.Background(), s.stderr)
	defer stop()
	args, err := spelled(app, s, args)
	if err == nil && args != nil {
		err = interrupted(ctx, app.RunContext(ctx, append([]string{"leat"}, reorder(app.Commands, args)...)))
	}
	err = out.verdict(err)
	if text := explain(errOrNil(err)); text != "" {
		fmt.Fprintln(s.stderr, text)
	}
	return codeOf(err)
}

// spelled turns the other ways to say something into the one that the parser knows:
// `leat help VERB` and `leat --version`. nil says that all was done.
func spelled(app *cli.App, s surroundings, args []string) ([]string, error) {
	switch {
	case len(args) == 0:
		return []string{"--help"}, nil
	case args[0] == "--version" || args[0] == "-v":
		return append([]string{"version"}, args[1:]...), nil
	case args[0] != "help":
		return args, nil
	case len(args) > 1 && args[1] == "exit-codes":
		_, err := fmt.Fprint(s.stdout, exitCodesText())
		return nil, err
	}
	level := app.Commands
	for _, name := range args[1:] {
		command := find(level, name)
		if command == nil {
			return nil, unknownVerb(level, name)
		}
		level = command.Subcommands
	}
	return append(args[1:], "--help"), nil
}

// errOrNil lets explain be called with no error.
func errOrNil(err error) error {
	if err == nil {
		return &exitError{}
	}
	return err
}

func newApp(s surroundings) *cli.App {
	return &cli.App{
		Name:  "leat",
		Usage: "run JavaScript, TypeScript and WebAssembly transforms over durable event pipelines",
		Description: "Start with `leat run FILE`; `leat verify FILE` checks a document without running it.\n" +
			"`leat help exit-codes` lists what the process can end with.",
		Version:              version(),
		HideVersion:          true,
		Reader:               s.stdin,
		Writer:               s.stdout,
		ErrWriter:            s.stderr,
		EnableBashCompletion: true,
		HideHelpCommand:      false,

		DisableSliceFlagSeparator: true, // a flag that may be repeated is: a comma is part of its value
		Commands: []*cli.Command{
			newCommand(s), verifyCommand(s), tryCommand(s), testCommand(s), runCommand(s), statusCommand(s), explainCommand(s),
			dlqCommand(s), replayCommand(s), tuneCommand(s), topicCommand(s), stageCommand(s),
			pluginsCommand(s), completionCommand(s), versionCommand(s),
		},
		CommandNotFound: nil,
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return unknownVerb(c.App.Commands, c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
		OnUsageError:   onUsageError,
		ExitErrHandler: func(*cli.Context, error) {},
	}
}

// commonFlags work on every verb.
func commonFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "data-dir", Value: ".leat", Usage: "where the stores live, one per pipeline", TakesFile: true, Action: checkDataDir},
		&cli.BoolFlag{Name: "json", Usage: "print machine-readable JSON on standard output"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress and no remarks on standard error"},
		&cli.StringFlag{Name: "log-level", Value: "warn", Usage: "`LEVEL` of the log: debug, info, warn or error"},
	}
}

// verb completes a command with what all verbs share.
func verb(c *cli.Command) *cli.Command {
	c.Flags = append(c.Flags, commonFlags()...)
	c.OnUsageError = onUsageError
	c.HideHelpCommand = true
	c.Before = givenValues
	return c
}

// givenValues refuses flags that are given and empty: an unset variable of a script must not read as a
// filter, a candidate or a directory that was left out. A key may be empty.
func givenValues(c *cli.Context) error {
	for _, flag := range c.Command.Flags {
		text, ok := flag.(*cli.StringFlag)
		if ok && text.Name != "key" && c.IsSet(text.Name) && c.String(text.Name) == "" {
			return usagef("give it a value, or leave it out", "--%s is empty", text.Name)
		}
	}
	return nil
}

// group completes a command that only holds others.
func group(c *cli.Command) *cli.Command {
	c.HideHelpCommand = true
	c.OnUsageError = onUsageError
	c.Action = func(ctx *cli.Context) error {
		if ctx.NArg() > 0 {
			return unknownVerb(c.Subcommands, ctx.Args().First())
		}
		return usagef("try `"+nameOf(ctx)+" --help`", "%s needs a verb", nameOf(ctx))
	}
	return c
}

func unknownVerb(commands []*cli.Command, name string) error {
	hint := "`leat --help` lists the verbs"
	var names []string
	for _, command := range commands {
		names = append(names, command.Names()...)
	}
	if near := document.Nearest(name, slices.Values(names)); near != "" && name != "help" {
		hint = "did you mean " + strconv.Quote(near) + "?"
	}
	return usagef(hint, "unknown verb %q", shortened(name))
}

// onUsageError names the nearest flag that exists.
func onUsageError(c *cli.Context, err error, _ bool) error {
	hint := "see `leat --help`"
	if c.Command != nil && c.Command.Name != "" && c.Command.Name != "leat" {
		hint = "see `" + nameOf(c) + " --help`"
	}
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		name = strings.TrimLeft(name, "-")
		text = "unknown flag --" + shortened(name)
		if near := document.Nearest(name, slices.Values(longNames(c.Command.Flags))); near != "" {
			hint = "did you mean " + strconv.Quote("--"+near) + "?"
		}
	}
	return usagef(hint, "%s", text)
}

// longNames are the names of flags that are words.
func longNames(flags []cli.Flag) []string {
	names := []string{"help"}
	for _, flag := range flags {
		names = append(names, flag.Names()...)
	}
	return slices.DeleteFunc(names, func(name string) bool { return len(name) < 2 })
}

// nameOf is how a command is called: with the verbs that it is below.
func nameOf(c *cli.Context) string {
	name := ""
	for _, at := range c.Lineage() {
		if at.Command != nil && at.Command.Name != "" && at.Command.Name != "leat" {
			name = " " + at.Command.Name + name
		}
	}
	return "leat" + name
}

// files returns the arguments, of which there must be at least one.
func files(c *cli.Context, what string) ([]string, error) {
	if c.NArg() == 0 {
		return nil, usagef("for example `"+nameOf(c)+" "+quoted(exampleDocument())+"`", "which %s?", what)
	}
	return c.Args().Slice(), nil
}

// exampleDocument is a pipeline of the current directory, to name in a hint.
func exampleDocument() string {
	found, _ := filepath.Glob("*.yaml") // the pattern is well formed
	for _, name := range found[:min(len(found), 100)] {
		if pipeline.KindOf(name) == pipeline.KindPipeline {
			return name
		}
	}
	return "pipeline.yaml"
}

// oneFile returns the only argument.
func oneFile(c *cli.Context, what string) (string, error) {
	all, err := files(c, what)
	if err != nil {
		return "", err
	}
	if len(all) > 1 {
		return "", usagef("give one", "one %s is wanted, %d were given", what, len(all))
	}
	return all[0], nil
}
