package suite

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/store"
)

// verdict collects how a case differs from what was expected.
type verdict struct{ problems []string }

func (v *verdict) addf(format string, args ...any) {
	v.problems = append(v.problems, fmt.Sprintf(format, args...))
}

// differs adds a diff under a heading, unless both texts are equal.
func (v *verdict) differs(heading, want, got string) {
	if want != got {
		v.addf("%s (- expected, + got)\n%s", heading, Diff(want, got))
	}
}

// compare returns how what a run showed differs from what its case expects.
func (r *runner) compare(c *Case, o *observed) (string, error) {
	var v verdict
	switch o.outcome.Status {
	case engine.StatusFailed:
		v.addf("the run failed: %s", o.outcome.Failure)
	case engine.StatusInterrupted:
		v.addf("the case did not end within its timeout of %s: %d messages are still on their way", r.suite.Timeout, o.outcome.Outstanding)
	}
	if len(v.problems) > 0 {
		return v.problems[0], nil
	}
	v.letters(c.expect.letters, o.letters)
	for _, x := range c.expect.captures {
		records := o.recorder.at(r.plan, x.node.name)
		v.capture(x, records)
		if x.isSnap {
			if err := r.snapshot(&v, c, x, records); err != nil {
				return "", err
			}
		}
	}
	v.counts(c.expect, o)
	v.fuel(c.expect.fuel, o.recorder)
	return strings.Join(v.problems, "\n"), nil
}

func (v *verdict) capture(x capture, records []record) {
	heading := func(what string) string { return x.under + "." + x.node.name + "." + what }
	if x.hasCount && x.count != int64(len(records)) {
		v.addf("%s: expected %d messages, got %d", heading("count"), x.count, len(records))
	}
	payloads := make([]json.RawMessage, len(records))
	texts, keys, metas := make([]json.RawMessage, len(records)), make([]json.RawMessage, len(records)), make([]json.RawMessage, len(records))
	for i, one := range records {
		payloads[i] = payloadJSON(one)
		texts[i] = encoded(string(one.bytes))
		keys[i] = encoded(keyOf(one.message.Key))
		metas[i] = encoded(one.message.Meta)
	}
	if x.hasExact {
		v.differs(heading("exact"), canonicalList(x.exact), canonicalList(payloads))
	}
	if x.hasSubset {
		v.differs(heading("subset"), canonicalList(x.subset), canonicalList(projectEach(x.subset, payloads)))
	}
	if x.hasText {
		v.differs(heading("text"), canonicalList(x.text), canonicalList(texts))
	}
	if x.hasKeys {
		v.differs(heading("keys"), canonicalList(x.keys), canonicalList(keys))
	}
	if x.hasMeta {
		v.differs(heading(x.metaName), canonicalList(x.meta), canonicalList(projectEach(x.meta, metas)))
	}
}

// payloadJSON is a payload as a JSON value: itself, or its bytes as a text.
func payloadJSON(r record) json.RawMessage {
	if r.message.Codec != "raw" && json.Valid(r.bytes) {
		return r.bytes
	}
	return encoded(string(r.bytes))
}

func keyOf(key []byte) any {
	if key == nil {
		return nil
	}
	return string(key)
}

func (v *verdict) counts(x expectation, o *observed) {
	b := o.outcome.Balance
	if f := x.filtered; f != nil {
		line := func(null, noOutput, noMatch int64) string {
			return fmt.Sprintf("null: %d\nno_output: %d\nno_match: %d\n", null, noOutput, noMatch)
		}
		v.differs("filtered", line(f.null, f.noOutput, f.noMatch), line(int64(b.Null), int64(b.NoOutput), int64(b.NoMatch)))
	}
	if x.dropped != nil && *x.dropped != int64(b.Dropped) {
		v.addf("dropped: expected %d branches, got %d", *x.dropped, b.Dropped)
	}
}

func (v *verdict) fuel(bounds []fuelBound, r *recorder) {
	for _, bound := range bounds {
		most, ran := r.fuel[bound.node.name]
		switch {
		case !ran:
			v.addf("fuel.%s: no message of the case reached it", bound.node.name)
		case most.fuel > bound.most:
			v.addf("fuel.%s: expected at most %d, %s spent %d", bound.node.name, bound.most, most.message, most.fuel)
		}
	}
}

// letters compares dead letters with their patterns, in order. One that fits a pattern reads
// like it.
func (v *verdict) letters(want []letter, got []store.DeadLetter) {
	var wanted, had strings.Builder
	for _, pattern := range want {
		wanted.WriteString(pattern.String())
	}
	next := 0
	for i := range got {
		fits := slices.IndexFunc(want[next:], func(p letter) bool { return p.fits(&got[i]) })
		if fits < 0 {
			had.WriteString(describe(&got[i]).String())
			continue
		}
		next += fits + 1
		had.WriteString(want[next-1].String())
	}
	v.differs("dead_letters", wanted.String(), had.String())
}

func describe(l *store.DeadLetter) letter {
	out := letter{node: l.Node, class: l.Class, message: l.Message.ID, reason: firstLine(l.Reason)}
	if l.Failure != nil && l.Class == store.ClassTransform {
		out.kind = string(l.Failure.Kind)
	}
	return out
}

func (l letter) fits(d *store.DeadLetter) bool {
	got := describe(d)
	same := func(wanted, got string) bool { return wanted == "" || wanted == got }
	return same(l.node, got.node) && same(l.class, got.class) && same(l.kind, got.kind) &&
		same(l.message, got.message) && strings.Contains(d.Reason, l.reason)
}

// String is the letter as a suite writes it, on one line.
func (l letter) String() string {
	var parts []string
	for _, pair := range [][2]string{{"node", l.node}, {"class", l.class}, {"kind", l.kind}, {"message", l.message}, {"reason", l.reason}} {
		if pair[1] != "" {
			value := pair[1]
			if pair[0] == "reason" {
				value = string(encoded(value))
			}
			parts = append(parts, pair[0]+": "+value)
		}
	}
	return "- {" + strings.Join(parts, ", ") + "}\n"
}

func firstLine(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return text
}
