package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/tune"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// maxSampleLine bounds a line of a sample, in bytes.
const maxSampleLine = 64 << 20

// feed is where the messages come from. done releases it.
func (t *tuning) feed(c *cli.Context, s surroundings) (feed tune.Feed, done func(), err error) {
	if c.IsSet("spool") {
		return t.spoolFeed(c)
	}
	source, err := t.sampleSource(c.String("source"))
	if err != nil {
		return nil, nil, err
	}
	name := c.String("sample")
	if name == "-" {
		return sampleFeed(newInput(c.Context, s.stdin), "standard input", source), func() {}, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, fail(exitUsage, "name a file with one message a line", fmt.Errorf("the sample cannot be read: %w", err))
	}
	return sampleFeed(file, name, source), func() { _ = file.Close() }, nil // it was only read
}

// sampleSource is the source whose lines a sample has.
func (t *tuning) sampleSource(name string) (*pipeline.Source, error) {
	if name == "" && len(t.plan.Sources) == 1 {
		return t.plan.Sources[0], nil
	}
	var names []string
	for _, s := range t.plan.Sources {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	if name == "" {
		return nil, usagef("give --source NAME, one of "+fmt.Sprint(names), "%s has %d sources: of which are the lines of the sample?", t.file, len(names))
	}
	return nil, usagef("there are "+fmt.Sprint(names), "%s has no source %q", t.file, name)
}

// sampleFeed gives one message a line, as the source would read it: every byte of it but its end. Empty
// lines are none.
func sampleFeed(in io.Reader, name string, source *pipeline.Source) tune.Feed {
	return func(_ context.Context, take func(engine.Injection) error) error {
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, maxSampleLine)
		for n := 1; lines.Scan(); n++ {
			text := lines.Bytes()
			if len(text) == 0 {
				continue
			}
			err := take(engine.Injection{Node: source.Name, Message: runtime.Message{
				ID: fmt.Sprintf("%s:%d", name, n), Payload: bytes.Clone(text), Codec: source.Decoder, Source: source.Name,
			}})
			if err != nil {
				return err
			}
		}
		if err := lines.Err(); err != nil {
			return fail(exitUsage, "name a file with one message a line, or - for standard input", fmt.Errorf("the sample in %s cannot be read: %w", name, err))
		}
		return nil
	}
}

// spoolFeed gives every row that the spool of a stopped pipeline holds, committed or not.
func (t *tuning) spoolFeed(c *cli.Context) (tune.Feed, func(), error) {
	dir := storeDir(c, t.plan.Name)
	a, err := accessTo(c.Context, t.plan.Name, dir)
	switch {
	case err != nil:
		return nil, nil, err
	case a.run != nil:
		a.close()
		return nil, nil, fail(exitInUse, "ask the run itself: --addr "+filepath.Join(dir, "control.sock"), fmt.Errorf("%s is running: its spool is in use", t.plan.Name))
	case a.store == nil:
		return nil, nil, fail(exitUsage, "run it first, or give --sample FILE", fmt.Errorf("%s never ran with this --data-dir: there is no spool", t.plan.Name))
	}
	return func(_ context.Context, take func(engine.Injection) error) error {
		return a.store.Rows(0, func(row store.Row) error {
			if row.Fault != nil {
				return nil // it was no message
			}
			err := take(engine.Injection{Node: row.Node, Message: row.Message})
			if errors.Is(err, engine.ErrUnknownNode) {
				return nil // of an earlier document
			}
			return err
		})
	}, a.close, nil
}
