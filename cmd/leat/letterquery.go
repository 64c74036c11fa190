package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// letterFilters select dead letters; they are the same on every verb that takes some.
func letterFilters() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "node", Usage: "only those that failed at `NODE`"},
		&cli.StringFlag{Name: "kind", Usage: "only those of this failure kind or class: `KIND`"},
		&cli.StringFlag{Name: "since", Usage: "only those younger than a duration (1h) or since a time (RFC 3339): `WHEN`"},
		&cli.StringFlag{Name: "where", Usage: "only those for which `CEL` is true: over payload, meta and letter (letter.attempts > 1)"},
		&cli.StringSliceFlag{Name: "id", Usage: "only the letter with this `ID`; may be repeated"},
	}
}

// letterQuery is the conjunction of the filter flags.
type letterQuery struct {
	node, kind string
	since      time.Time
	where      *pipeline.Filter
	ids        []string

	found  map[string]bool
	unsure int   // letters on which where could not be evaluated
	why    error // of the first of them

	there, picked int   // letters, and those that the filters select
	missing       error // there is no store
	whole         bool  // all letters were seen
}

func newLetterQuery(c *cli.Context, now time.Time) (*letterQuery, error) {
	q := &letterQuery{node: c.String("node"), kind: c.String("kind"), ids: c.StringSlice("id"), found: map[string]bool{}}
	var err error
	if q.since, err = parseSince(c.String("since"), now); err != nil {
		return nil, err
	}
	if q.kind != "" && !slices.Contains(letterKinds(), q.kind) {
		return nil, usagef(document.DidYouMean(q.kind, slices.Values(letterKinds())), "--kind %q is neither a kind of failure nor a class", q.kind)
	}
	if text := c.String("where"); text != "" {
		if q.where, err = pipeline.CompileFilter(text, "letter"); err != nil {
			return nil, usagef("there are payload, meta and letter; see https://cel.dev for the language", "--where: %s", whereFault(err))
		}
	}
	return q, nil
}

// whereFault is what is wrong with --where, without what the hint says; it may quote the whole expression.
func whereFault(err error) string {
	return shortened(strings.TrimSuffix(err.Error(), ": see https://cel.dev for the language"))
}

// any says whether some filter was given.
func (q *letterQuery) any() bool {
	return q.node != "" || q.kind != "" || !q.since.IsZero() || q.where != nil || len(q.ids) > 0
}

// each calls fn with every letter that the filters select, the oldest first. An --id that
// does not exist is an error after all others were seen.
func (q *letterQuery) each(ctx context.Context, a *access, fn func(store.DeadLetter) error) error {
	q.missing = a.missing()
	err := a.letters(ctx, func(l store.DeadLetter) error {
		q.there++
		if !q.keeps(l) {
			return nil
		}
		q.picked++
		q.found[l.ID] = true
		return fn(l)
	})
	if err != nil {
		return err
	}
	for _, id := range q.ids {
		if !q.found[id] {
			if q.missing != nil {
				return q.missing
			}
			return usagef("`leat dlq list` lists them", "no dead letter %q", id)
		}
	}
	q.whole = true
	return nil
}

func (q *letterQuery) keeps(l store.DeadLetter) bool {
	if q.node != "" && l.Node != q.node ||
		q.kind != "" && l.Class != q.kind && string(failureOf(l).Kind) != q.kind ||
		!q.since.IsZero() && l.CreatedAt.Before(q.since) ||
		len(q.ids) > 0 && !slices.Contains(q.ids, l.ID) {
		return false
	}
	if q.where == nil {
		return true
	}
	ok, err := q.where.Match(l.Message, letterValues(l))
	if err != nil {
		if q.unsure++; q.unsure == 1 {
			q.why = err
		}
	}
	return ok
}

// remark says where --where had no answer, and why no letter was selected.
func (q *letterQuery) remark(c *cli.Context, s surroundings) {
	if q.unsure > 0 {
		remark(c, s, "--where could not be evaluated on %s, which it did not select: %v", count(q.unsure, "letter"), q.why)
	}
	switch {
	case !q.whole || q.picked > 0:
	case q.missing != nil:
		remark(c, s, "%s", strings.TrimPrefix(explain(q.missing), "leat: "))
	case q.there == 0:
		remark(c, s, "no dead letters")
	default:
		remark(c, s, "no dead letter matches the filters (there are %d)", q.there)
	}
}

// letterValues is what --where knows as letter: the names of `dlq list --json`.
func letterValues(l store.DeadLetter) map[string]any {
	f := failureOf(l)
	return map[string]any{
		"id": l.ID, "pipeline": l.Pipeline, "node": l.Node, "edge": l.Edge, "flavor": l.Flavor, "class": l.Class,
		"kind": kindOf(l), "reason": l.Reason, "attempts": int64(l.Attempts), "message_id": l.Message.ID,
		"source": l.Message.Source, "spool_seq": int64(l.SpoolSeq), "run_id": l.RunID, "created_at": l.CreatedAt,
		"code_digest": l.CodeDigest, "fuel": l.Usage.Fuel, "duration_ms": milliseconds(l.Usage.Duration),
		"replay_count": int64(l.ReplayCount), "quarantined": l.Quarantined, "deterministic": f.Deterministic,
		"file": f.File, "line": int64(f.Line), "measured": f.Measured, "limit": f.Limit,
	}
}

// letterKinds are the words that --kind knows.
func letterKinds() []string {
	all := []string{
		store.ClassDecode, store.ClassCodec, store.ClassEncode, store.ClassDelivery, store.ClassCanceled,
		store.ClassTransform, store.ClassPredicate,
	}
	for _, k := range runtime.Kinds() {
		all = append(all, string(k))
	}
	return all
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
