package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/endpoint"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// sampleFlags say what a verb takes as its sample message.
func sampleFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "message", Aliases: []string{"m"}, Usage: "the sample's payload: a file, or - for standard input: `FILE`", TakesFile: true},
		&cli.IntFlag{Name: "line", Usage: "take the `N`th line of --message as the sample"},
		&cli.StringFlag{Name: "letter", Usage: "take a dead letter as the sample: `ID`, as `leat dlq list` prints it"},
		&cli.Uint64Flag{Name: "spool", Usage: "take a row of the spool as the sample: `SEQ`"},
		&cli.StringFlag{Name: "key", Usage: "the sample's key"},
		&cli.StringSliceFlag{Name: "meta", KeepSpace: true, Usage: "an annotation of the sample; may be repeated: `K=V`"},
	}
}

// maxSample bounds what is read of --message.
const maxSample = 64 << 20

// sample is a message with where it comes from.
type sample struct {
	message runtime.Message
	node    string // that it belongs to; "" if it says none
	raw     bool   // it is as a source read it: to be decoded
	from    string // the source out of which it walks to the node; "" goes straight in
	file    string // that it was read from
	where   string // for messages
}

// pickSample reads the sample that the flags name.
func pickSample(c *cli.Context, s surroundings, plan *pipeline.Plan) (sample, error) {
	var given []string
	for _, flag := range []string{"message", "letter", "spool"} {
		if c.IsSet(flag) {
			given = append(given, "--"+flag)
		}
	}
	if len(given) > 1 {
		return sample{}, usagef("give one sample", "%s exclude each other", strings.Join(given, " and "))
	}
	if len(given) == 0 {
		return sample{}, usagef("give --message FILE (- is standard input), --letter ID or --spool SEQ", "which sample?")
	}
	if given[0] == "--message" {
		return messageSample(c, s)
	}
	return storedSample(c, s, plan)
}

// messageSample reads --message.
func messageSample(c *cli.Context, s surroundings) (sample, error) {
	name := c.String("message")
	in, where := io.Reader(newInput(c.Context, s.stdin)), "standard input"
	out := sample{raw: true}
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return out, usagef("give a file, or - for standard input", "the sample cannot be read: %v", err)
		}
		defer f.Close()
		in, where, out.file = f, name, name
	}
	text, err := io.ReadAll(io.LimitReader(in, maxSample+1))
	switch {
	case err != nil:
		return out, usagef("give a file, or - for standard input", "the sample cannot be read: %w", err)
	case len(text) > maxSample:
		return out, usagef("give a smaller one", "the sample in %s has more than %d bytes", where, maxSample)
	}
	if text, err = sampleLine(c, bytes.TrimRight(text, "\r\n"), where); err != nil {
		return out, err
	}
	meta, err := sampleMeta(c)
	out.where = where
	out.message = runtime.Message{ID: "sample", Payload: text, Meta: meta, Ingested: time.Now().UTC().Truncate(time.Millisecond)}
	if c.IsSet("key") {
		out.message.Key = []byte(c.String("key"))
	}
	return out, err
}

// sampleLine is --line of the text, or all of it.
func sampleLine(c *cli.Context, text []byte, where string) ([]byte, error) {
	if !c.IsSet("line") {
		return text, nil
	}
	lines, n := bytes.Split(text, []byte("\n")), c.Int("line")
	if n < 1 || n > len(lines) {
		return nil, usagef("lines count from 1", "%s has no line %d, but %d", where, n, len(lines))
	}
	return bytes.TrimRight(lines[n-1], "\r"), nil
}

func sampleMeta(c *cli.Context) (runtime.Meta, error) {
	var meta runtime.Meta
	for _, pair := range c.StringSlice("meta") {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, usagef("write --meta name=value", "--meta %q has no value", pair)
		}
		meta = meta.With(name, value)
	}
	return meta, nil
}

// storedSample reads --letter or --spool from the pipeline's store, or asks the run that owns it.
func storedSample(c *cli.Context, s surroundings, plan *pipeline.Plan) (sample, error) {
	a, err := openAccess(c, s, plan.File)
	if err != nil {
		return sample{}, err
	}
	defer a.close()
	switch {
	case a.missing() != nil:
		return sample{}, a.missing()
	case c.IsSet("letter"):
		return letterSample(c, a)
	default:
		return spoolSample(c, plan, a)
	}
}

// errFound ends a scan.
var errFound = errors.New("found")

// letterSample is a dead letter's message, as it entered the node that failed.
func letterSample(c *cli.Context, a *access) (sample, error) {
	id := c.String("letter")
	var found store.DeadLetter
	err := a.letters(c.Context, func(l store.DeadLetter) error {
		if l.ID != id {
			return nil
		}
		found = l
		return errFound
	})
	switch {
	case err == nil:
		return sample{}, usagef("`leat dlq list` lists them", "no dead letter %q", id)
	case !errors.Is(err, errFound):
		return sample{}, err
	case found.PayloadLength != 0:
		return sample{}, usagef("take the message from its source", "of the dead letter %s only the start was kept: its whole payload %s", id, wholeText(found.PayloadLength))
	}
	return sample{message: found.Message, node: found.Node, raw: found.Class == store.ClassDecode, where: "dead letter " + id}, nil
}

// spoolSample is a row of the spool: as its source read it, or as it was injected.
func spoolSample(c *cli.Context, plan *pipeline.Plan, a *access) (sample, error) {
	seq := runtime.Seq(c.Uint64("spool"))
	row, err := a.row(c.Context, seq)
	if errors.Is(err, store.ErrNotFound) {
		first, last, err := a.rows(c.Context)
		if err != nil {
			return sample{}, a.failure("ask for the spool", err)
		}
		hint := fmt.Sprintf("it holds %d to %d", first, last)
		if last < first {
			hint = "it holds none"
		}
		return sample{}, usagef(hint, "the spool of %s has no row %d", plan.Name, seq)
	}
	if err != nil {
		return sample{}, a.failure(fmt.Sprintf("read row %d of the spool", seq), err)
	}
	out := sample{message: row.Message, raw: !row.Inject, where: fmt.Sprintf("row %d", seq)}
	if row.Inject {
		out.node = row.Node
	} else if slices.ContainsFunc(plan.Sources, func(s *pipeline.Source) bool { return s.Name == row.Node }) {
		out.from = row.Node
	}
	return out, nil
}

// decodeSample makes of the sample what the node would be given: the bytes that a source read are
// decoded.
func decodeSample(ctx context.Context, plan *pipeline.Plan, node *pipeline.Transform, picked sample) (runtime.Message, error) {
	m := picked.message
	if picked.from != "" {
		return walkedSample(ctx, plan, node, picked)
	}
	source := sourceAbove(plan, node.Name)
	if m.Source == "" && source != nil {
		m.Source = source.Name
	}
	if m.Codec == "" {
		m.Codec = "json"
		if source != nil {
			m.Codec = source.Decoder
		}
	}
	if !picked.raw {
		return m, nil
	}
	payload, err := endpoint.Endpoints().Codecs[m.Codec].Decode(m.Payload)
	if err != nil {
		hint := "a source would dead-letter it (class decode)"
		if bytes.IndexByte(m.Payload, '\n') > 0 {
			hint = "if the file holds a message a line, say --line 1"
		}
		return m, usagef(hint, "the sample in %s is no message: %v", picked.where, err)
	}
	m.Payload = payload
	return m, nil
}

// walkedSample brings a row of the spool out of its source and through the plan, and returns it as
// it first enters the node.
func walkedSample(ctx context.Context, plan *pipeline.Plan, node *pipeline.Transform, picked sample) (runtime.Message, error) {
	w, err := walkFrom(ctx, plan, picked.from, picked.message)
	if err != nil {
		return runtime.Message{}, err
	}
	hint := "a transform filters it, or no edge lets it pass: give a row that gets there"
	for _, v := range w.visits {
		if v.Node == node.Name {
			return v.In, nil
		}
		if v.Failure != nil {
			hint = "it fails at " + v.Node + ": " + firstLine(v.Failure.Message, 200)
		}
	}
	return runtime.Message{}, usagef(hint, "%s does not reach %s", picked.where, node.Name)
}

// sourceAbove is the first source whose messages reach the node.
func sourceAbove(plan *pipeline.Plan, node string) *pipeline.Source {
	for range len(plan.Edges) + 1 {
		at := slices.IndexFunc(plan.Edges, func(e *pipeline.Edge) bool { return e.To == node })
		if at < 0 {
			break
		}
		node = plan.Edges[at].From
	}
	at := slices.IndexFunc(plan.Sources, func(s *pipeline.Source) bool { return s.Name == node })
	if at < 0 {
		return nil
	}
	return plan.Sources[at]
}

// asFailure tells a guest's fault from the world's.
func asFailure(err error) (*runtime.Failure, bool) {
	var f *runtime.Failure
	ok := errors.As(err, &f)
	return f, ok
}
