package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/control"
)

// An append takes at most so many lines, and no more once it has so many bytes: with one more line of the longest it still
// fits into a request to the log's owner.
const (
	appendBatch = 256
	appendBytes = 1 << 20
	lineMost    = 8 << 20
)

func topicAppendCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:      "append",
		Usage:     "append the lines of standard input to a topic",
		ArgsUsage: "NAME",
		Description: "Each line is a record's value; the key decides on the partition. --after claims a record as a cause: a stage\n" +
			"that reads both delivers it first.\n\n" +
			"Examples:\n   echo '{\"id\":1}' | leat topic append orders --key o-1\n   echo '{\"paid\":true}' | leat topic append payments --key o-1 --after orders:0:0",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "key", Usage: "the `KEY` of all records; not given: null"},
			&cli.StringSliceFlag{Name: "header", KeepSpace: true, Usage: "add a header; may be repeated: `K=V`"},
			&cli.StringSliceFlag{Name: "after", Usage: "claim a record as a cause; may be repeated: `TOPIC:PARTITION:OFFSET`"},
			&cli.BoolFlag{Name: "unchecked", Usage: "claim records that do not exist (yet), too"},
		},
		Action: func(c *cli.Context) error {
			name, err := oneName(c, "topic")
			if err != nil {
				return err
			}
			a := control.Append{Topic: name, Unchecked: c.Bool("unchecked")}
			if a.Claims, err = claims(c); err != nil {
				return err
			}
			like, err := appendedLike(c)
			if err != nil {
				return err
			}
			return withTopics(c, false, func(topics control.Topics) error {
				if _, err := findTopic(c.Context, topics, name); err != nil {
					return err
				}
				return appendLines(c, s, topics, a, like)
			})
		},
	})
}

// claims reads every --after.
func claims(c *cli.Context) (out []control.Place, err error) {
	for _, text := range c.StringSlice("after") {
		parts := strings.Split(text, ":")
		if len(parts) != 3 {
			return nil, usagef("write --after orders:0:17", "--after %q is no TOPIC:PARTITION:OFFSET", text)
		}
		partition, perr := strconv.ParseInt(parts[1], 10, 32)
		offset, oerr := strconv.ParseInt(parts[2], 10, 64)
		if errors.Join(perr, oerr) != nil || partition < 0 || offset < 0 {
			return nil, usagef("write --after orders:0:17", "--after %q is no TOPIC:PARTITION:OFFSET", text)
		}
		out = append(out, control.Place{Topic: parts[0], Partition: int32(partition), Offset: offset})
	}
	return out, nil
}

// appendedLike is what all records have in common.
func appendedLike(c *cli.Context) (r control.AppendRecord, err error) {
	if c.IsSet("key") {
		r.Key = []byte(c.String("key"))
	}
	for _, pair := range c.StringSlice("header") {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return r, usagef("write --header name=value", "--header %q has no value", pair)
		}
		r.Headers = append(r.Headers, causal.Header{Name: name, Value: []byte(value)})
	}
	return r, nil
}

// appendLines appends as soon as nothing more is at hand, so that a slow pipe is served line by line. It says how many records are
// appended, also where it fails: the next attempt begins behind them.
func appendLines(c *cli.Context, s surroundings, topics control.Topics, a control.Append, like control.AppendRecord) error {
	in := bufio.NewReaderSize(newInput(c.Context, s.stdin), inputBytes)
	total, line, size := 0, 0, 0
	defer func() { remark(c, s, "%s: %s appended", a.Topic, count(total, "record")) }()
	for {
		value, err := readLine(in)
		if err == nil || errors.Is(err, io.EOF) && len(value) > 0 {
			line++
			r := like
			r.Value = value
			a.Records = append(a.Records, r)
			size += sizeOf(r)
		}
		full := len(a.Records) == appendBatch || size >= appendBytes
		if full || len(a.Records) > 0 && (err != nil || in.Buffered() == 0) {
			places, failed := topics.Append(c.Context, a)
			if failed != nil {
				return topicFailure(failed)
			}
			total += len(places)
			a.Records, size = a.Records[:0], 0
			if err := printPlaces(c, s, places); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fail(exitUsage, "", fmt.Errorf("standard input, line %d: %w", line+1, err))
		}
	}
}

func sizeOf(r control.AppendRecord) int {
	size := len(r.Key) + len(r.Value)
	for _, h := range r.Headers {
		size += len(h.Name) + len(h.Value)
	}
	return size
}

func printPlaces(c *cli.Context, s surroundings, places []control.Place) error {
	if c.Bool("json") {
		return eachJSON(s, places)
	}
	return nil
}

// readLine returns one line without its end; io.EOF comes with what is left.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if line = append(line, part...); len(line) > lineMost {
			return nil, fmt.Errorf("it is longer than %d bytes", lineMost)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), err
	}
}

func each(list []string) iter.Seq[string] { return slices.Values(list) }
