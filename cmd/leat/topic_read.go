package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/control"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/store"
)

func topicReadCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:      "read",
		Usage:     "print records of a topic",
		ArgsUsage: "NAME",
		Description: "Prints what there is and ends. Without --partition it prints all partitions, one after the other.\n\n" +
			"Examples:\n   leat topic read shipments --limit 10\n   leat topic read orders --partition 0 --from 17 --json",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "partition", Value: -1, Usage: "only partition `P`"},
			&cli.Int64Flag{Name: "from", Value: -1, Usage: "begin at `OFFSET`; not given: at the first record that there is"},
			&cli.Int64Flag{Name: "limit", Usage: "at most `N` records of each partition; not given: all"},
		},
		Action: func(c *cli.Context) error {
			name, err := oneName(c, "topic")
			if err != nil {
				return err
			}
			return withTopics(c, false, func(topics control.Topics) error { return readTopic(c, s, topics, name) })
		},
	})
}

func readTopic(c *cli.Context, s surroundings, topics control.Topics, name string) error {
	if c.Int64("limit") < 0 {
		return usagef("give 1 or more", "--limit %d", c.Int64("limit"))
	}
	all, err := topics.List(c.Context)
	if err != nil {
		return topicFailure(err)
	}
	t, err := findTopic(c.Context, topics, name)
	if err != nil {
		return err
	}
	names := map[store.TopicID]string{}
	for _, one := range all {
		names[one.ID] = one.Name
	}
	only := c.Int("partition")
	if c.IsSet("partition") && (only < 0 || only >= t.Partitions) {
		return usagef(fmt.Sprintf("give 0 to %d", t.Partitions-1), "%s has no partition %d", name, only)
	}
	for p := range t.Extents {
		if only >= 0 && p != only {
			continue
		}
		if err := readPartition(c, s, topics, t, int32(p), names); err != nil {
			return err
		}
	}
	return nil
}

func readPartition(c *cli.Context, s surroundings, topics control.Topics, t store.Topic, partition int32, names map[store.TopicID]string) error {
	from, end := t.Extents[partition].Start, t.Extents[partition].End
	if c.IsSet("from") {
		from = c.Int64("from")
	}
	left := c.Int64("limit")
	if left == 0 {
		left = end
	}
	for left > 0 {
		records, err := topics.Read(c.Context, control.ReadAt{Place: control.Place{Topic: t.Name, Partition: partition, Offset: from}, Limit: int(min(left, 1000))})
		if err != nil {
			return topicFailure(err)
		}
		for _, r := range records {
			if err := printRecord(c, s, t, partition, r, names); err != nil {
				return err
			}
		}
		if len(records) == 0 {
			return nil
		}
		from, left = from+int64(len(records)), left-int64(len(records))
	}
	return nil
}

// recordJSON is a record in `topic read --json` (cli.md).
type recordJSON struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
	Timestamp int64  `json:"timestamp"`
	valuesJSON
	Clock map[string]int64 `json:"clock"`
}

// valuesJSON is what an author put into a record.
type valuesJSON struct {
	Key         any             `json:"key"`
	Value       json.RawMessage `json:"value,omitempty"`
	ValueBase64 *string         `json:"value_base64,omitempty"`
	Headers     map[string]any  `json:"headers"`
}

func valuesOf(key, value []byte, headers []causal.Header) valuesJSON {
	row := valuesJSON{Key: bytesJSON(key), Headers: map[string]any{}}
	switch {
	case value == nil:
		row.Value = json.RawMessage("null")
	case isJSON(value):
		row.Value = slices.Clone(value)
	default:
		text := base64.StdEncoding.EncodeToString(value)
		row.ValueBase64 = &text
	}
	for _, h := range headers {
		row.Headers[h.Name] = bytesJSON(h.Value)
	}
	return row
}

func printRecord(c *cli.Context, s surroundings, t store.Topic, partition int32, stored store.TopicRecord, names map[store.TopicID]string) error {
	r, err := topic.Fetched(topic.ChannelOf(t, partition), stored).Open()
	if err != nil {
		return fail(exitFailed, "whoever appended it does not write clocks as the protocol does", err)
	}
	row := recordRow(t.Name, r, names)
	if c.Bool("json") {
		return jsonTo(s.stdout).Encode(row)
	}
	fmt.Fprintf(s.stdout, "%s:%d:%d", t.Name, partition, r.Offset)
	if r.Key != nil {
		fmt.Fprintf(s.stdout, " %s", shown(r.Key))
	}
	fmt.Fprint(s.stdout, "\t")
	printValue(s.stdout, r.Value)
	return nil
}

func printValue(out io.Writer, value []byte) {
	if value == nil {
		fmt.Fprintln(out, "(null)")
		return
	}
	fmt.Fprintln(out, shown(value))
}

func recordRow(name string, r causal.Record, names map[store.TopicID]string) recordJSON {
	row := recordJSON{
		Topic: name, Partition: r.Channel.Partition, Offset: r.Offset, Timestamp: r.Timestamp,
		valuesJSON: valuesOf(r.Key, r.Value, r.Headers), Clock: map[string]int64{},
	}
	for claim := range r.Clock.All() {
		channel := names[store.TopicID(claim.Channel.Topic)]
		if channel == "" {
			channel = claim.Channel.Topic.String()
		}
		row.Clock[fmt.Sprintf("%s:%d", channel, claim.Channel.Partition)] = claim.Offset
	}
	return row
}

// bytesJSON is text where bytes are, {"base64": …} where not, null for null.
func bytesJSON(b []byte) any {
	switch {
	case b == nil:
		return nil
	case utf8.Valid(b):
		return string(b)
	default:
		return map[string]string{"base64": base64.StdEncoding.EncodeToString(b)}
	}
}
