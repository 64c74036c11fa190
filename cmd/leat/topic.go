package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/control"
	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/store"
)

func topicCommand(s surroundings) *cli.Command {
	return group(&cli.Command{
		Name:  "topic",
		Usage: "make, list, read and write the topics of the data dir's log",
		Description: "Topics are what stages and pipelines meet in. While a run uses the log, these verbs ask it.\n\n" +
			"Example:\n   leat topic create orders --partitions 4",
		Subcommands: []*cli.Command{
			topicCreateCommand(s), topicListCommand(s), topicDescribeCommand(s), topicReadCommand(s), topicAppendCommand(s), topicDeleteCommand(s),
		},
	})
}

func topicCreateCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:      "create",
		Usage:     "make a topic",
		ArgsUsage: "NAME",
		Description: "The number of partitions stays: records of one key keep their place. Stages read topics with the same\n" +
			"number of partitions.\n\nExample:\n   leat topic create orders --partitions 4 --retention 168h",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "partitions", Usage: "`N` partitions, 1 to 256"},
			&cli.StringFlag{Name: "retention", Usage: "delete records older than a `DURATION`, such as 168h; not given: never"},
			&cli.StringFlag{Name: "retention-bytes", Usage: "keep at most `SIZE` of each partition, such as 1GiB; not given: all"},
		},
		Action: func(c *cli.Context) error {
			spec, err := topicSpec(c)
			if err != nil {
				return err
			}
			return withTopics(c, true, func(topics control.Topics) error {
				t, err := topics.Create(c.Context, spec)
				if err != nil {
					return topicFailure(err)
				}
				if c.Bool("json") {
					return jsonTo(s.stdout).Encode(topicRow(t))
				}
				remark(c, s, "%s: %s, id %s", t.Name, count(t.Partitions, "partition"), t.ID)
				return nil
			})
		},
	})
}

func topicSpec(c *cli.Context) (spec store.TopicSpec, err error) {
	if spec.Name, err = oneName(c, "topic"); err != nil {
		return spec, err
	}
	if reason := document.CheckName(spec.Name); reason != "" {
		return spec, usagef(reason, "%q is no topic's name", spec.Name)
	}
	if spec.Partitions = c.Int("partitions"); !c.IsSet("partitions") {
		return spec, usagef("for example --partitions 4; the number stays", "how many partitions is %s to have?", spec.Name)
	}
	if text := c.String("retention"); text != "" {
		if spec.Retention, err = time.ParseDuration(text); err != nil || spec.Retention <= 0 {
			return spec, usagef("write 90m, 24h or 168h", "--retention %q is no duration", text)
		}
	}
	if text := c.String("retention-bytes"); text != "" {
		var ok bool
		if spec.RetentionBytes, ok = document.ParseSize(text); !ok || spec.RetentionBytes <= 0 {
			return spec, usagef("write 512KiB, 32MiB or 1GiB", "--retention-bytes %q is no size", text)
		}
	}
	return spec, nil
}

// oneName returns the only argument.
func oneName(c *cli.Context, what string) (string, error) {
	switch c.NArg() {
	case 0:
		return "", usagef("see `"+nameOf(c)+" --help`", "which %s?", what)
	case 1:
		return c.Args().First(), nil
	default:
		return "", usagef("give one", "one %s is wanted, %d were given", what, c.NArg())
	}
}

// withTopics runs f on the log's topics, wherever they are at each call.
func withTopics(c *cli.Context, make bool, f func(control.Topics) error) error {
	l, err := borrowLog(c, make)
	if err != nil {
		return err
	}
	defer l.close()
	return f(l)
}

// topicFailure gives an error about topics its exit code.
func topicFailure(err error) error {
	var known *exitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known): // the log could not be had again
		return err
	case errors.Is(err, store.ErrNoTopic):
		return fail(exitUsage, "`leat topic list` lists them", err)
	case errors.Is(err, control.ErrClaim):
		return fail(exitUsage, "claim what was appended before, or add --unchecked", err)
	case errors.Is(err, store.ErrOffset):
		return fail(exitUsage, "`leat topic describe` shows what there is", err)
	case errors.Is(err, store.ErrTopicExists):
		return fail(exitUsage, "take another name", err)
	case errors.Is(err, store.ErrTopic), errors.Is(err, causal.ErrReservedHeader), errors.Is(err, store.ErrTooLarge):
		return fail(exitUsage, "", err)
	default:
		return fail(exitFailed, "", err)
	}
}

// topicJSON is a topic in `topic list|describe|create --json`.
type topicJSON struct {
	Topic          string       `json:"topic"`
	ID             string       `json:"id"`
	Created        string       `json:"created"`
	Retention      string       `json:"retention"`       // "" is for ever
	RetentionBytes int64        `json:"retention_bytes"` // 0 is all
	Partitions     []extentJSON `json:"partitions"`
}

type extentJSON struct {
	Partition int   `json:"partition"`
	Start     int64 `json:"start"`
	End       int64 `json:"end"`
	Bytes     int64 `json:"bytes"`
}

func topicRow(t store.Topic) topicJSON {
	row := topicJSON{Topic: t.Name, ID: t.ID.String(), Created: t.Created.Format(time.RFC3339Nano), RetentionBytes: t.RetentionBytes}
	if t.Retention > 0 {
		row.Retention = document.FormatDuration(t.Retention)
	}
	for i, e := range t.Extents {
		row.Partitions = append(row.Partitions, extentJSON{i, e.Start, e.End, e.Bytes})
	}
	return row
}

func topicListCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:        "list",
		Usage:       "list all topics",
		Description: "Example:\n   leat topic list --json",
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usagef("`leat topic describe NAME` shows one", "list takes no argument")
			}
			return withTopics(c, false, func(topics control.Topics) error {
				all, err := topics.List(c.Context)
				if err != nil {
					return topicFailure(err)
				}
				return listTopics(c, s, all)
			})
		},
	})
}

func listTopics(c *cli.Context, s surroundings, all []store.Topic) error {
	if c.Bool("json") {
		rows := make([]topicJSON, len(all))
		for i, t := range all {
			rows[i] = topicRow(t)
		}
		return eachJSON(s, rows)
	}
	if len(all) == 0 {
		remark(c, s, "no topics")
		return nil
	}
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TOPIC\tPARTITIONS\tRECORDS\tSIZE\tRETENTION")
	for _, t := range all {
		var records, bytes int64
		for _, e := range t.Extents {
			records, bytes = records+e.End-e.Start, bytes+e.Bytes
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s\n", t.Name, t.Partitions, records, bytes, retentionText(t))
	}
	return w.Flush()
}

func retentionText(t store.Topic) string {
	switch {
	case t.Retention > 0 && t.RetentionBytes > 0:
		return document.FormatDuration(t.Retention) + ", " + document.FormatSize(t.RetentionBytes)
	case t.Retention > 0:
		return document.FormatDuration(t.Retention)
	case t.RetentionBytes > 0:
		return document.FormatSize(t.RetentionBytes)
	default:
		return "for ever"
	}
}

func topicDescribeCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:        "describe",
		Usage:       "print a topic and what its partitions hold",
		ArgsUsage:   "NAME",
		Description: "Example:\n   leat topic describe orders",
		Action: func(c *cli.Context) error {
			return withTopic(c, func(_ control.Topics, t store.Topic) error {
				if c.Bool("json") {
					return jsonTo(s.stdout).Encode(topicRow(t))
				}
				return describeTopic(s, t)
			})
		},
	})
}

// withTopic is withTopics for the one topic that the command line names.
func withTopic(c *cli.Context, f func(control.Topics, store.Topic) error) error {
	name, err := oneName(c, "topic")
	if err != nil {
		return err
	}
	return withTopics(c, false, func(topics control.Topics) error {
		t, err := findTopic(c.Context, topics, name)
		if err != nil {
			return err
		}
		return f(topics, t)
	})
}

// findTopic returns one topic; the nearest name is said where there is none.
func findTopic(ctx context.Context, topics control.Topics, name string) (store.Topic, error) {
	all, err := topics.List(ctx)
	if err != nil {
		return store.Topic{}, topicFailure(err)
	}
	var names []string
	for _, t := range all {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	hint := document.DidYouMean(name, each(names))
	if len(names) == 0 {
		hint = "`leat topic create` makes the first"
	}
	return store.Topic{}, usagef(hint, "there is no topic %q", name)
}

func describeTopic(s surroundings, t store.Topic) error {
	fmt.Fprintf(s.stdout, "topic %s\n  id         %s\n  created    %s\n  retention  %s\n\n", t.Name, t.ID, t.Created.Format(time.RFC3339), retentionText(t))
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PARTITION\tSTART\tEND\tSIZE")
	for i, e := range t.Extents {
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\n", i, e.Start, e.End, e.Bytes)
	}
	return w.Flush()
}

func topicDeleteCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:        "delete",
		Usage:       "delete a topic with all its records",
		ArgsUsage:   "NAME",
		Description: "A topic that is made again under the same name is another topic: stages say so when they start.\n\nExample:\n   leat topic delete orders --yes",
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "yes", Usage: "do it"}},
		Action: func(c *cli.Context) error {
			return withTopic(c, func(topics control.Topics, t store.Topic) error {
				if !c.Bool("yes") {
					return usagef("add --yes", "this deletes %s for good", t.Name)
				}
				return topicFailure(topics.Delete(c.Context, t.Name))
			})
		},
	})
}
