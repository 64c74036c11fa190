package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/leat-run/leat/runtime"
)

const (
	// diffsMost is how many letters a dry run shows the difference of; --json has all outputs.
	diffsMost = 10
	// diffBytes is the longest payload that is compared line by line.
	diffBytes = 256 << 10
)

// printDiffs shows, for letters that a dry run found fixed, what goes into the node and what
// comes out of it.
func printDiffs(s surroundings, letters []replayedLetter) error {
	shownSoFar := 0
	for _, l := range letters {
		if l.step == nil || len(l.step.Out) == 0 {
			continue
		}
		if shownSoFar++; shownSoFar > diffsMost {
			_, err := fmt.Fprintf(s.stdout, "\n(the first %d differences are shown; --json has every output)\n", diffsMost)
			return err
		}
		if _, err := fmt.Fprintf(s.stdout, "\n%s\n", messageDiff(l.step.In, l.step.Out, l.id+" enters "+l.node, l.node+" emits")); err != nil {
			return err
		}
	}
	return nil
}

// messageDiff is the difference between a message and what was made of it, line by line, JSON
// laid out; "" where there is none.
func messageDiff(in runtime.Message, out []runtime.Message, before, after string) string {
	var emitted bytes.Buffer
	for _, m := range out {
		emitted.Write(laidOut(m.Payload))
	}
	old := laidOut(in.Payload)
	if len(old)+emitted.Len() > diffBytes {
		return fmt.Sprintf("--- %s: %d bytes\n+++ %s: %d bytes (too long to compare)", before, len(old), after, emitted.Len())
	}
	text := diff.Diff(before, old, after, emitted.Bytes())
	if text == nil {
		return fmt.Sprintf("=== %s, and %s the same", before, after)
	}
	_, text, _ = bytes.Cut(text, []byte("\n")) // "diff OLD NEW"
	return printable(string(bytes.TrimRight(text, "\n")))
}

// laidOut is a payload in lines: JSON with a member on each, as it was written; other text as
// it is; other bytes quoted. It ends with a line feed.
func laidOut(payload []byte) []byte {
	var out bytes.Buffer
	if json.Indent(&out, bytes.TrimSpace(payload), "", "  ") != nil {
		out.Reset()
		out.WriteString(shown(payload))
	}
	out.WriteByte('\n')
	return out.Bytes()
}
