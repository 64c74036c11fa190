package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/runtime"
)

// replayed is what became of the selected letters, or would.
type replayed struct {
	selected, committed, failedAgain, quarantined, skipped int

	dry     bool
	rows    bool // of a spool window: there are no letters to tell of
	letters []replayedLetter
}

type replayedLetter struct {
	id, node      string
	at            string             // the node that failed now, "" in a dry run
	before, after engine.LetterFault // after is what went wrong now
	verdict       string             // fixed, same, other or skipped
	made          string             // what a dry run's step gave, in a few words
	step          *engine.Step       // the step, where what came out of it is shown
}

// The verdicts, as engine.ReplayedLetter has them.
const (
	verdictFixed   = "fixed"
	verdictSame    = "same"
	verdictOther   = "other"
	verdictSkipped = "skipped"
)

func replayedBy(c *cli.Context, r engine.ReplayResult) replayed {
	out := replayed{
		selected: r.Selected, committed: r.Committed, failedAgain: r.FailedAgain, quarantined: r.Quarantined, skipped: r.Skipped,
		rows: c.IsSet("spool"),
	}
	for _, l := range r.Letters {
		out.letters = append(out.letters, replayedLetter{id: l.ID, node: l.Node, at: l.At, before: l.Before, after: l.Failure, verdict: l.After})
	}
	return out
}

// add takes the outcome of one letter's dry run in.
func (r *replayed) add(l replayedLetter) {
	r.selected++
	switch l.verdict {
	case verdictFixed:
		r.committed++
	case verdictSkipped:
		r.skipped++
	default:
		r.failedAgain++
	}
	r.letters = append(r.letters, l)
}

// replayJSON is the object of `replay --json` (cli.md).
type replayJSON struct {
	Selected    int                `json:"selected"`
	Committed   int                `json:"committed"`
	FailedAgain int                `json:"failed_again"`
	Quarantined int                `json:"quarantined"`
	Skipped     int                `json:"skipped"`
	DryRun      bool               `json:"dry_run"`
	Letters     []replayLetterJSON `json:"letters"`
}

type replayLetterJSON struct {
	ID      string        `json:"id"`
	Before  faultJSON     `json:"before"`
	After   string        `json:"after"`
	Outputs []messageJSON `json:"outputs"`
	Failure *faultJSON    `json:"failure"`
}

type faultJSON struct {
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}

// messageJSON is a message on its way: its payload as JSON where it is JSON.
type messageJSON struct {
	payloadJSON
	Key  string            `json:"key,omitempty"`
	Meta map[string]string `json:"meta,omitempty"`
}

func messageRow(m runtime.Message) messageJSON {
	return messageJSON{payloadJSON: payloadOf(m.Codec, m.Payload), Key: string(m.Key), Meta: m.Meta}
}

func (r replayed) row() replayJSON {
	row := replayJSON{
		Selected: r.selected, Committed: r.committed, FailedAgain: r.failedAgain, Quarantined: r.quarantined,
		Skipped: r.skipped, DryRun: r.dry, Letters: []replayLetterJSON{},
	}
	for _, l := range r.letters {
		out := replayLetterJSON{ID: l.id, Before: faultRow(l.before), After: l.verdict, Outputs: []messageJSON{}}
		if l.verdict != verdictFixed {
			failure := faultRow(l.after)
			out.Failure = &failure
		}
		if l.step != nil {
			for _, m := range l.step.Out {
				out.Outputs = append(out.Outputs, messageRow(m))
			}
		}
		row.Letters = append(row.Letters, out)
	}
	return row
}

func faultRow(f engine.LetterFault) faultJSON { return faultJSON{string(f.Kind), f.Reason} }

// printReplayed prints a table old failure -> new outcome; a dry run shows below it what
// would come out of the node beside what goes in.
func printReplayed(c *cli.Context, s surroundings, r replayed) error {
	if len(r.letters) > 0 {
		w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "LETTER\tNODE\tOLD FAILURE\tNEW OUTCOME")
		for _, l := range r.letters {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", l.id, l.node, faultText(l.before, 60), l.outcome())
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	if err := printDiffs(s, r.letters); err != nil {
		return err
	}
	if text := r.summary(); text != "" {
		remark(c, s, "%s", text)
	}
	return nil
}

func (r replayed) summary() string {
	if r.selected == 0 && r.quarantined == 0 {
		if r.rows {
			return "no row was replayed"
		}
		return "" // the filters say why
	}
	verb := "committed"
	if r.dry {
		verb = "would commit"
	}
	noun := "letter"
	if r.rows {
		noun = "row"
	}
	text := fmt.Sprintf("%s selected: %d %s, %d failed again, %d skipped", count(r.selected, noun), r.committed, verb, r.failedAgain, r.skipped)
	if r.quarantined > 0 {
		text += fmt.Sprintf("; %d in quarantine, which only --id picks", r.quarantined)
	}
	return text
}

// outcome is a letter's verdict with what an author wants to know of it.
func (l replayedLetter) outcome() string {
	switch {
	case l.verdict == verdictFixed && l.made != "":
		return "fixed: " + l.made
	case l.verdict == verdictFixed:
		return "fixed"
	case l.verdict == verdictSame:
		return "the same failure"
	case l.verdict == verdictOther && l.at != "" && l.at != l.node:
		return "failed further on, at " + l.at + ": " + faultText(l.after, 90)
	case l.verdict == verdictOther:
		return "another failure: " + faultText(l.after, 90)
	default:
		return "skipped: " + l.after.Reason
	}
}

// stepText says in a few words what a step that succeeded gave.
func stepText(step *engine.Step) string {
	switch {
	case step.Role == engine.RoleSource:
		return "decoded"
	case step.Role == engine.RoleSink:
		return "encoded"
	case len(step.Out) > 0:
		return count(len(step.Out), "output")
	case step.Null:
		return "filtered (null)"
	default:
		return "filtered (no output)"
	}
}

func faultText(f engine.LetterFault, most int) string {
	text := cell(firstLine(f.Reason, most))
	if f.Kind != "" {
		text = string(f.Kind) + ": " + text
	}
	return text
}
