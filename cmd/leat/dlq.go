package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/store"
)

func dlqCommand(s surroundings) *cli.Command {
	return group(&cli.Command{
		Name:  "dlq",
		Usage: "look at dead letters, take them out, throw them away",
		Description: "A dead letter is a message that a node failed on, kept as it entered that node. The verbs ask the\n" +
			"running pipeline, or open the store of a stopped one. `leat replay` sends letters into their node again.\n\n" +
			"Example:\n   leat dlq list orders.yaml --node enrich",
		Subcommands: []*cli.Command{dlqListCommand(s), dlqShowCommand(s), dlqExportCommand(s), dlqPurgeCommand(s)},
	})
}

// letterVerb is a verb on dead letters: do is called with the way to them and the filters.
func letterVerb(s surroundings, command *cli.Command, do func(*cli.Context, *access, *letterQuery) error) *cli.Command {
	command.ArgsUsage = "FILE"
	command.Flags = append(command.Flags, append(letterFilters(), paramFlag())...)
	command.Action = func(c *cli.Context) error {
		file, err := oneFile(c, "document")
		if err != nil {
			return err
		}
		q, err := newLetterQuery(c, time.Now())
		if err != nil {
			return err
		}
		a, err := openAccess(c, s, file)
		if err != nil {
			return err
		}
		defer a.close()
		defer q.remark(c, s)
		return do(c, a, q)
	}
	return verb(command)
}

func dlqListCommand(s surroundings) *cli.Command {
	return letterVerb(s, &cli.Command{
		Name:        "list",
		Usage:       "list dead letters, oldest first",
		Description: "Example:\n   leat dlq list orders.yaml --kind guest --where 'payload.total > 1000' --json",
	}, func(c *cli.Context, a *access, q *letterQuery) error {
		if c.Bool("json") {
			return lettersJSON(c, s, a, q)
		}
		return listLetters(c, s, a, q)
	})
}

func dlqShowCommand(s surroundings) *cli.Command {
	return letterVerb(s, &cli.Command{
		Name:  "show",
		Usage: "print dead letters whole: the failure, where, the message, and how to replay it",
		Description: "Says whether the code has changed since, as far as the document verifies.\n\n" +
			"Example:\n   leat dlq show orders.yaml --id 06h2ppya0hf2dgh0000000000c",
	}, func(c *cli.Context, a *access, q *letterQuery) error {
		if c.Bool("json") {
			return lettersJSON(c, s, a, q)
		}
		return showLetters(c, s, a, q)
	})
}

func listLetters(c *cli.Context, s surroundings, a *access, q *letterQuery) error {
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	n := 0
	err := q.each(c.Context, a, func(l store.DeadLetter) error {
		if n++; n == 1 {
			fmt.Fprintln(w, "ID\tNODE\tCAUSE\tMESSAGE\tREASON")
		}
		_, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", l.ID, l.Node, cause(l)+marked(l), cell(l.Message.ID), cell(firstLine(l.Reason, 90)))
		return err
	})
	if flushed := w.Flush(); err == nil {
		err = flushed
	}
	return err
}

// marked says on one word that a letter is picked by its id only.
func marked(l store.DeadLetter) string {
	if l.Quarantined {
		return " (quarantined)"
	}
	return ""
}

func showLetters(c *cli.Context, s surroundings, a *access, q *letterQuery) error {
	codes := newCodes(c, s)
	n := 0
	return q.each(c.Context, a, func(l store.DeadLetter) error {
		if n++; n > 1 {
			fmt.Fprintln(s.stdout)
		}
		showLetter(s.stdout, l, codes.since(l))
		_, err := fmt.Fprintf(s.stdout, "\n%s\n", strings.Join(nextLines(c, a, l), "\n"))
		return err
	})
}

// lettersJSON prints one object a line as the letters come.
func lettersJSON(c *cli.Context, s surroundings, a *access, q *letterQuery) error {
	out := jsonTo(s.stdout)
	return q.each(c.Context, a, func(l store.DeadLetter) error { return out.Encode(letterRow(l)) })
}

// remark says something on standard error that is not an error, unless --quiet. It may quote a message or a guest.
func remark(c *cli.Context, s surroundings, format string, args ...any) {
	if !c.Bool("quiet") {
		fmt.Fprintln(s.stderr, printable(fmt.Sprintf(format, args...)))
	}
}
