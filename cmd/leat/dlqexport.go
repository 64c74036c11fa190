package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/store"
)

func dlqExportCommand(s surroundings) *cli.Command {
	return letterVerb(s, &cli.Command{
		Name:  "export",
		Usage: "write dead letters out, one a line",
		Description: "Writes what `list --json` prints, or with --payloads only the messages as they entered their nodes,\n" +
			"in a form that a file source reads. The letters stay where they are.\n\n" +
			"Examples:\n   leat dlq export orders.yaml --output letters.jsonl\n   leat dlq export orders.yaml --node ingest --payloads > again.jsonl",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "payloads", Usage: "only the payloads, a line each"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE` instead of standard output", TakesFile: true},
		},
	}, func(c *cli.Context, a *access, q *letterQuery) error { return exportLetters(c, s, a, q) })
}

func exportLetters(c *cli.Context, s surroundings, a *access, q *letterQuery) error {
	n := 0
	write := func(w io.Writer) error {
		out := bufio.NewWriter(w)
		encoder := jsonTo(out)
		err := q.each(c.Context, a, func(l store.DeadLetter) error {
			n++
			if c.Bool("payloads") {
				return writePayload(out, l)
			}
			return encoder.Encode(letterRow(l))
		})
		return errors.Join(err, out.Flush())
	}
	name := c.String("output")
	if name == "" {
		return write(s.stdout)
	}
	if err := replaceFile(name, write); err != nil {
		return exportFailure(name, err)
	}
	remark(c, s, "%s: %s", name, count(n, "dead letter"))
	return nil
}

// exportFailure gives an error its exit code, unless it has one: a name that is none is a matter of the
// command line, a full disk is not.
func exportFailure(name string, err error) error {
	var known *exitError
	if errors.As(err, &known) {
		return err
	}
	code := exitFailed
	for _, bad := range []error{fs.ErrNotExist, fs.ErrPermission, syscall.EISDIR, syscall.ENOTDIR} {
		if errors.Is(err, bad) {
			code = exitUsage
		}
	}
	return fail(code, "give another --output", fmt.Errorf("%s cannot be written: %w", name, err))
}

// writePayload writes a message as one line. JSON has a form on one line; other bytes that
// hold a line feed have none.
func writePayload(out *bufio.Writer, l store.DeadLetter) error {
	text := l.Message.Payload
	if l.PayloadLength != 0 {
		return usagef("leave it out with --where 'letter.id != \""+l.ID+"\"'", "letter %s kept only the start of its payload", l.ID)
	}
	if bytes.ContainsRune(text, '\n') {
		var line bytes.Buffer
		if json.Compact(&line, text) != nil {
			return usagef("export it without --payloads", "letter %s has a payload of several lines that is no JSON", l.ID)
		}
		text = line.Bytes()
	}
	if _, err := out.Write(text); err != nil {
		return err
	}
	return out.WriteByte('\n')
}
