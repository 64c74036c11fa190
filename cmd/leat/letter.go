package main

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// letterJSON is a dead letter in `dlq list --json` (cli.md, Machine output).
type letterJSON struct {
	ID         string      `json:"id"`
	Pipeline   string      `json:"pipeline"`
	Node       string      `json:"node"`
	Edge       string      `json:"edge"`
	Flavor     string      `json:"flavor"`
	Class      string      `json:"class"`
	Kind       string      `json:"kind"`
	Reason     string      `json:"reason"`
	Backtrace  string      `json:"backtrace"`
	Attempts   int         `json:"attempts"`
	MessageID  string      `json:"message_id"`
	Source     string      `json:"source"`
	SpoolSeq   runtime.Seq `json:"spool_seq"`
	RunID      string      `json:"run_id"`
	CreatedAt  string      `json:"created_at"`
	CodeDigest string      `json:"code_digest"`
	Fuel       int64       `json:"fuel"`
	DurationMS float64     `json:"duration_ms"`
	payloadJSON
	PayloadLength int64             `json:"payload_length,omitempty"`
	Meta          map[string]string `json:"meta"`
	Codec         string            `json:"codec"`
	Measured      int64             `json:"measured"`
	Limit         int64             `json:"limit"`
	File          string            `json:"file"`
	Line          int               `json:"line"`
	Column        int               `json:"column"`
	ReplayCount   int               `json:"replay_count"`
	Quarantined   bool              `json:"quarantined"`
	Deterministic bool              `json:"deterministic"`
}

func letterRow(l store.DeadLetter) letterJSON {
	f := failureOf(l)
	row := letterJSON{
		ID: l.ID, Pipeline: l.Pipeline, Node: l.Node, Edge: l.Edge, Flavor: l.Flavor, Class: l.Class,
		Kind: kindOf(l), Reason: l.Reason, Backtrace: f.Backtrace, Attempts: l.Attempts,
		MessageID: l.Message.ID, Source: l.Message.Source, SpoolSeq: l.SpoolSeq, RunID: l.RunID,
		CreatedAt: l.CreatedAt.UTC().Format(time.RFC3339Nano), CodeDigest: l.CodeDigest,
		Fuel: l.Usage.Fuel, DurationMS: milliseconds(l.Usage.Duration), PayloadLength: l.PayloadLength,
		Meta: l.Message.Meta, Codec: l.Message.Codec, Measured: f.Measured, Limit: f.Limit,
		File: f.File, Line: f.Line, Column: f.Column, ReplayCount: l.ReplayCount,
		Quarantined: l.Quarantined, Deterministic: f.Deterministic,
		payloadJSON: payloadOf(l.Message.Codec, l.Message.Payload),
	}
	if row.Meta == nil {
		row.Meta = map[string]string{}
	}
	return row
}

// failureOf is the letter's typed failure, or an empty one where a codec or a sink failed.
func failureOf(l store.DeadLetter) runtime.Failure {
	if l.Failure == nil {
		return runtime.Failure{}
	}
	return *l.Failure
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// kindOf is the kind of the letter's failure; "" where all there is to say is the class.
func kindOf(l store.DeadLetter) string {
	kind := failureOf(l).Kind
	if kind == runtime.KindOther && l.Class != store.ClassTransform {
		return ""
	}
	return string(kind)
}

// cause is the class, with the kind where there is one.
func cause(l store.DeadLetter) string {
	if kind := kindOf(l); kind != "" {
		return l.Class + "/" + kind
	}
	return l.Class
}

// shortened is a text of the caller's in a message about it.
func shortened(text string) string { return cutRunes(text, 200) }

// firstLine is a text's first line, cut to most runes.
func firstLine(text string, most int) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return cutRunes(text, most)
}

func cutRunes(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// showLetter prints one dead letter as its author wants it: what, where, how much, and the
// message as it entered the node. code says whether the code has changed since. What a
// guest or a message says is shown without control characters.
func showLetter(out io.Writer, l store.DeadLetter, code string) {
	f := failureOf(l)
	fmt.Fprintf(out, "dead letter %s: %s at %s\n", l.ID, cause(l), l.Node)
	fmt.Fprintf(out, "\n  %s\n", indent(printable(l.Reason)))
	for _, block := range []string{f.Excerpt, f.Backtrace} {
		if block != "" {
			fmt.Fprintf(out, "\n  %s\n", indent(printable(block)))
		}
	}
	fmt.Fprintln(out)
	for _, row := range letterFacts(l, f, code) {
		if row[1] != "" {
			fmt.Fprintf(out, "  %-10s %s\n", row[0], indent(printable(row[1])))
		}
	}
	fmt.Fprintf(out, "\nthe message as it entered %s (%s, %d bytes):\n%s\n",
		l.Node, l.Message.Codec, len(l.Message.Payload), shown(l.Message.Payload))
	if l.PayloadLength != 0 {
		fmt.Fprintf(out, "(only its start was kept: the whole payload %s)\n", wholeText(l.PayloadLength))
	}
}

func wholeText(length int64) string {
	if length < 0 {
		return "could not be read"
	}
	return fmt.Sprintf("had %d bytes", length)
}

func letterFacts(l store.DeadLetter, f runtime.Failure, code string) [][2]string {
	facts := [][2]string{
		{"where", whereOf(f)},
		{"hint", f.Hint},
		{"message", l.Message.ID},
		{"source", fmt.Sprintf("%s (seq %d)", l.Message.Source, l.SpoolSeq)},
		{"edge", l.Edge},
		{"attempts", fmt.Sprint(l.Attempts)},
		{"created", l.CreatedAt.UTC().Format(time.RFC3339)},
		{"code", strings.TrimSpace(l.CodeDigest + " " + code)},
		{"log", f.Log},
	}
	if f.Limit > 0 {
		facts = append(facts, [2]string{"limit", fmt.Sprintf("%d measured, %d allowed", f.Measured, f.Limit)})
	}
	if l.Class == store.ClassTransform {
		facts = append(facts, [2]string{"spent", fmt.Sprintf("%d fuel, %.3f ms", l.Usage.Fuel, milliseconds(l.Usage.Duration))})
	}
	if l.ReplayCount > 0 {
		facts = append(facts, [2]string{"replayed", replayedText(l)})
	}
	return facts
}

func replayedText(l store.DeadLetter) string {
	text := count(l.ReplayCount, "time")
	if l.Quarantined {
		text += "; quarantined: only --id picks it, no other filter"
	}
	return text
}

// whereOf is the place in the author's source, or else the function that was running.
func whereOf(f runtime.Failure) string {
	if place := f.Place(); place != "" {
		return place
	}
	function, _, _ := strings.Cut(f.Backtrace, "\n")
	return function
}

// printable is a text without what could move a terminal's cursor or colour it.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if movesCursor(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n"))
}

// cell is a text as a cell of a table: on one line, without what would begin another column.
func cell(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, printable(text))
}

// indent makes a text of several lines stand below its first.
func indent(text string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}

// shown is a payload for a terminal: text as it is, without control characters; other
// bytes quoted.
func shown(payload []byte) string {
	if utf8.Valid(payload) && !strings.ContainsFunc(string(payload), movesCursor) {
		return string(payload)
	}
	return fmt.Sprintf("%+q", payload)
}

// movesCursor says whether a rune could move a terminal's cursor or colour it.
func movesCursor(r rune) bool {
	return (r < ' ' && r != '\n' && r != '\t') || r == 0x7f || (r >= 0x80 && r < 0xa0)
}
