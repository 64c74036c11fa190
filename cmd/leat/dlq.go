package main

import (
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/store"
)

func dlqCommand(s surroundings) *cli.Command {
	return group(&cli.Command{
		Name:  "dlq",
		Usage: "look at dead letters",
		Description: "A dead letter is a message that a node failed on, kept as it entered that node.\n\n" +
			"Example:\n   leat dlq list orders.yaml --node enrich",
		Subcommands: []*cli.Command{dlqListCommand(s), dlqShowCommand(s)},
	})
}

// letterFilters select dead letters; they are the same on every verb that takes some.
func letterFilters() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "node", Usage: "only those that failed at `NODE`"},
		&cli.StringFlag{Name: "kind", Usage: "only those of this failure kind or class: `KIND`"},
		&cli.StringFlag{Name: "since", Usage: "only those younger than a duration (1h) or since a time (RFC 3339): `WHEN`"},
		&cli.StringSliceFlag{Name: "id", Usage: "only the letter with this `ID`; may be repeated"},
	}
}

func dlqListCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:        "list",
		Usage:       "list dead letters, oldest first",
		ArgsUsage:   "FILE",
		Description: "Example:\n   leat dlq list orders.yaml --kind guest --json",
		Flags:       letterFilters(),
		Action: func(c *cli.Context) error {
			letters, err := selectLetters(c, s)
			if err != nil {
				return err
			}
			return listLetters(c, s, letters)
		},
	})
}

func dlqShowCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:        "show",
		Usage:       "print dead letters whole: the failure, where, and the message",
		ArgsUsage:   "FILE",
		Description: "Example:\n   leat dlq show orders.yaml --id 01J9…",
		Flags:       letterFilters(),
		Action: func(c *cli.Context) error {
			letters, err := selectLetters(c, s)
			if err != nil {
				return err
			}
			return showLetters(c, s, letters)
		},
	})
}

func listLetters(c *cli.Context, s surroundings, letters []store.DeadLetter) error {
	if c.Bool("json") {
		return lettersJSON(s, letters)
	}
	if len(letters) == 0 {
		remark(c, s, "no dead letters")
		return nil
	}
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tNODE\tCAUSE\tMESSAGE\tREASON")
	for _, l := range letters {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", l.ID, l.Node, cause(l), l.Message.ID, firstLine(l.Reason, 90))
	}
	return w.Flush()
}

func showLetters(c *cli.Context, s surroundings, letters []store.DeadLetter) error {
	if c.Bool("json") {
		return lettersJSON(s, letters)
	}
	for i, l := range letters {
		if i > 0 {
			fmt.Fprintln(s.stdout)
		}
		showLetter(s.stdout, l)
	}
	return nil
}

func lettersJSON(s surroundings, letters []store.DeadLetter) error {
	rows := make([]letterJSON, len(letters))
	for i, l := range letters {
		rows[i] = letterRow(l)
	}
	return eachJSON(s, rows)
}

// remark says something on standard error that is not an error, unless --quiet.
func remark(c *cli.Context, s surroundings, format string, args ...any) {
	if !c.Bool("quiet") {
		fmt.Fprintf(s.stderr, format+"\n", args...)
	}
}

// selectLetters returns the letters that the filters select, from the document's store or
// the run that owns it. An --id that does not exist is an error.
func selectLetters(c *cli.Context, s surroundings) ([]store.DeadLetter, error) {
	name, err := oneFile(c, "document")
	if err != nil {
		return nil, err
	}
	keep, err := letterFilter(c, time.Now())
	if err != nil {
		return nil, err
	}
	a, err := openAccess(c, s, name)
	if err != nil {
		return nil, err
	}
	defer a.close()
	var out []store.DeadLetter
	err = a.letters(c.Context, func(l store.DeadLetter) error {
		if keep(l) {
			out = append(out, l)
		}
		return nil
	})
	if err == nil {
		err = missingIDs(c, out)
	}
	return out, err
}

func missingIDs(c *cli.Context, found []store.DeadLetter) error {
	have := map[string]bool{}
	for _, l := range found {
		have[l.ID] = true
	}
	for _, id := range c.StringSlice("id") {
		if !have[id] {
			return usagef("`leat dlq list` lists them", "no dead letter %q", id)
		}
	}
	return nil
}

// letterFilter is the conjunction of the filter flags.
func letterFilter(c *cli.Context, now time.Time) (func(store.DeadLetter) bool, error) {
	since, err := parseSince(c.String("since"), now)
	if err != nil {
		return nil, err
	}
	node, kind, ids := c.String("node"), c.String("kind"), c.StringSlice("id")
	return func(l store.DeadLetter) bool {
		return (node == "" || l.Node == node) &&
			(kind == "" || l.Class == kind || string(failureOf(l).Kind) == kind) &&
			(since.IsZero() || !l.CreatedAt.Before(since)) &&
			(len(ids) == 0 || contains(ids, l.ID))
	}, nil
}

func contains(all []string, one string) bool {
	for _, a := range all {
		if a == one {
			return true
		}
	}
	return false
}

// parseSince reads 1h or 2026-11-30T12:00:00Z; "" is the zero time.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(text); err == nil {
		return now.Add(-d), nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	return time.Time{}, usagef("write 90m, 24h or 2026-11-30T12:00:00Z", "--since %q is neither a duration nor a time", text)
}
