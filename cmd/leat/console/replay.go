package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// replayRequest selects letters and says what becomes of them.
type replayRequest struct {
	letterFilter
	At     string `json:"at"`      // the node, instead of the one that failed
	DryRun bool   `json:"dry_run"` // runs the failed step and nothing else
	Delete bool   `json:"delete"`  // the letters that then committed
}

// replayJSON is what became of the letters (cli.md, Machine output).
type replayJSON struct {
	Selected    int            `json:"selected"`
	Committed   int            `json:"committed"` // would be, in a dry run
	FailedAgain int            `json:"failed_again"`
	Quarantined int            `json:"quarantined"` // passed over: only their id selects them
	Skipped     int            `json:"skipped"`
	DryRun      bool           `json:"dry_run"`
	Letters     []replayedJSON `json:"letters"`
}

type replayedJSON struct {
	ID     string    `json:"id"`
	Node   string    `json:"node"`
	Before faultJSON `json:"before"`
	// After is fixed, same, other (another failure) or skipped.
	After   string       `json:"after"`
	Failure *faultJSON   `json:"failure,omitempty"`
	Outputs []outputJSON `json:"outputs,omitempty"` // of a dry run
	Text    string       `json:"text,omitempty"`    // of a dry run's failure, as dlq show prints it
	Fuel    int64        `json:"fuel,omitempty"`
}

type faultJSON struct {
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}

func (s *Server) replay(p *Pipeline, w http.ResponseWriter, r *http.Request) {
	var q replayRequest
	if !read(w, r, &q) {
		return
	}
	select {
	case s.replays <- struct{}{}:
		defer func() { <-s.replays }()
	default:
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable, "too many replays are under way")
		return
	}
	run := s.replayFor
	if q.DryRun {
		run = s.dryRun
	}
	// It may take longer than other answers: it is written when the letters are committed.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(replayTime + answerTime)) // HTTP/1 can
	result, err := run(r.Context(), p, &q)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && q.DryRun:
		refuse(w, http.StatusServiceUnavailable, fmt.Sprintf("the dry run took longer than %v: choose fewer letters", dryRunTime))
	case errors.Is(err, context.DeadlineExceeded):
		answerWith(w, http.StatusAccepted, result) // it goes on without who asked
	case errors.Is(err, engine.ErrUnknownNode):
		refuse(w, http.StatusNotFound, err.Error())
	case err != nil:
		s.refuseFor(w, err)
	default:
		answer(w, result)
	}
}

// chosen are the letters of a request, at most `most`; a filter never picks a quarantined
// one.
func chosen(ctx context.Context, p *Pipeline, q *replayRequest, most int) (letters []store.DeadLetter, quarantined int, err error) {
	ids, err := selectIDs(ctx, p, &q.letterFilter)
	if err != nil {
		return nil, 0, err
	}
	for _, id := range ids {
		if len(letters) == most {
			break
		}
		l, err := p.Store.Letter(id)
		switch {
		case errors.Is(err, store.ErrNotFound) && len(q.IDs) == 0: // it went meanwhile
		case err != nil:
			return nil, 0, err
		case !q.selects(p, &l):
		case l.Quarantined && len(q.IDs) == 0:
			quarantined++
		default:
			letters = append(letters, l)
		}
	}
	return letters, quarantined, nil
}

// replayFor replays through the run, and waits until the letters are committed. It asks
// for one page of letters at most: a larger replay is the command line's.
func (s *Server) replayFor(ctx context.Context, p *Pipeline, q *replayRequest) (replayJSON, error) {
	ctx, cancel := context.WithTimeout(ctx, replayTime)
	defer cancel()
	letters, quarantined, err := chosen(ctx, p, q, lettersMost)
	if err != nil || len(letters) == 0 {
		return replayJSON{Quarantined: quarantined, Letters: []replayedJSON{}}, err
	}
	ids, about := make([]string, len(letters)), map[string]runtime.Message{}
	for i := range letters {
		ids[i] = letters[i].ID
		about[ids[i]] = letters[i].Message
	}
	s.log.Info("console: replay", "pipeline", p.Plan.Name, "letters", len(ids), "at", q.At)
	result, err := p.Engine.Replay(ctx, engine.ReplayRequest{IDs: ids, At: q.At, Delete: q.Delete})
	out := replayJSON{
		Selected: result.Selected, Committed: result.Committed, FailedAgain: result.FailedAgain,
		Quarantined: result.Quarantined + quarantined, Skipped: result.Skipped, Letters: []replayedJSON{},
	}
	for _, l := range result.Letters {
		row := replayedJSON{ID: l.ID, Node: l.Node, Before: p.fault(l.Before, about[l.ID]), After: l.After}
		if l.Failure != (engine.LetterFault{}) {
			failure := p.fault(l.Failure, about[l.ID])
			row.Failure = &failure
		}
		out.Letters = append(out.Letters, row)
	}
	return out, err
}

// fault is a failure of the message m as it may leave.
func (p *Pipeline) fault(f engine.LetterFault, m runtime.Message) faultJSON {
	return faultJSON{string(f.Kind), p.redactor.Text(f.Reason, m)}
}
