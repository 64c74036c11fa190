package console

import (
	"bytes"
	"context"
	"errors"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// outputJSON is a message that a dry run made: nobody gets it.
type outputJSON struct {
	Key     string            `json:"key,omitempty"`
	Payload string            `json:"payload"`
	Meta    map[string]string `json:"meta,omitempty"`
	Cut     bool              `json:"cut,omitempty"`
}

// dryRun runs the failed step of each letter on an instance of its own and lets nothing
// out: no message, no count, no change of the letter. A sink's step is its encoder; what is
// outside the process is not touched.
func (s *Server) dryRun(ctx context.Context, p *Pipeline, q *replayRequest) (replayJSON, error) {
	ctx, cancel := context.WithTimeout(ctx, dryRunTime)
	defer cancel()
	letters, quarantined, err := chosen(ctx, p, q, dryRunsMost)
	out := replayJSON{Selected: len(letters), Quarantined: quarantined, DryRun: true, Letters: []replayedJSON{}}
	if err != nil {
		return out, err
	}
	sandbox := engine.NewSandbox(p.Plan, p.Codecs)
	defer sandbox.Close()
	for i := range letters {
		row, err := s.rehearse(ctx, p, sandbox, &letters[i], q.At)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return out, err
		}
		switch row.After {
		case "fixed":
			out.Committed++
		case "skipped":
			out.Skipped++
		default:
			out.FailedAgain++
		}
		out.Letters = append(out.Letters, row)
	}
	return out, nil
}

// rehearse is one letter's before and after.
func (s *Server) rehearse(ctx context.Context, p *Pipeline, sandbox *engine.Sandbox, l *store.DeadLetter, at string) (replayedJSON, error) {
	node := l.Node
	if at != "" {
		node = at
	}
	row := replayedJSON{ID: l.ID, Node: node, Before: faultJSON{string(kindOf(l)), p.redactor.Text(l.Reason, l.Message)}}
	if l.PayloadLength != 0 {
		row.After, row.Failure = "skipped", &faultJSON{Reason: "only the start of its payload was kept"}
		return row, nil
	}
	step, err := sandbox.Step(ctx, node, engine.LetterMessage(*l))
	if at == "" && errors.Is(err, engine.ErrUnknownNode) { // as a replay passes over it
		row.After, row.Failure = "skipped", &faultJSON{Reason: "there is no such node any more: another one can be named"}
		return row, nil
	}
	if err != nil {
		return row, err
	}
	row.Fuel = step.Usage.Fuel
	switch {
	case step.Failure != nil:
		s.failedAgain(&row, l, &step, p)
	case step.Role == engine.RoleSink && l.Class == store.ClassDelivery:
		row.After, row.Failure = "skipped", &faultJSON{Reason: "a dry run does not write: only a replay can know"}
	case step.Role == engine.RoleSink:
		row.After = "fixed"
		row.Outputs = p.outputs([]runtime.Message{{Key: step.Record.Message.Key, Payload: step.Record.Bytes}})
	default:
		row.After, row.Outputs = "fixed", p.outputs(step.Out)
	}
	return row, nil
}

func (s *Server) failedAgain(row *replayedJSON, l *store.DeadLetter, step *engine.Step, p *Pipeline) {
	f := step.Failure
	reason := runtime.Cut(f.Message, runtime.MaxReason)
	after := faultJSON{string(f.Kind), p.redactor.Text(reason, l.Message)}
	row.Failure, row.After = &after, "other"
	if after == row.Before {
		row.After = "same"
	}
	again := *l
	again.Failure, again.Reason, again.Usage, again.Node, again.Class = f, reason, step.Usage, row.Node, step.Class
	again = p.shownLetter(again)
	var text bytes.Buffer
	s.opt.Show(&text, again)
	row.Text = text.String()
}

// outputs are at most as many as a list, each cut.
func (p *Pipeline) outputs(out []runtime.Message) []outputJSON {
	rows := []outputJSON{}
	for _, m := range out[:min(len(out), dryRunsMost)] {
		m = p.redactor.Message(m)
		row := outputJSON{Key: string(m.Key), Meta: m.Meta}
		row.Payload, row.Cut = cutText(m.Payload)
		rows = append(rows, row)
	}
	return rows
}

// cutText is a payload as text, its first part where it is long.
func cutText(payload []byte) (text string, cut bool) {
	if len(payload) > payloadMost {
		payload, cut = payload[:payloadMost], true
	}
	return string(bytes.ToValidUTF8(payload, []byte("\uFFFD"))), cut
}
