package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// letterListJSON is the newest letters that a filter selects, the newest first.
type letterListJSON struct {
	Selected int             `json:"selected"` // by the filter, in all
	Letters  []letterRowJSON `json:"letters"`
	// Nodes, Kinds are what the filters can be, over all letters, with their numbers.
	Nodes map[string]int `json:"nodes"`
	Kinds map[string]int `json:"kinds"`
}

// letterRowJSON is a letter in a list: no payload.
type letterRowJSON struct {
	ID          string `json:"id"`
	Node        string `json:"node"`
	Class       string `json:"class"`
	Kind        string `json:"kind"`
	Reason      string `json:"reason"`
	MessageID   string `json:"message_id"`
	CreatedAt   string `json:"created_at"`
	Attempts    int    `json:"attempts"`
	ReplayCount int    `json:"replay_count"`
	Quarantined bool   `json:"quarantined"`
}

// letterJSON is one letter: the fields of `leat dlq list --json`, and the text of
// `leat dlq show`.
type letterJSON struct {
	Letter any    `json:"letter"`
	Text   string `json:"text"`
}

// letterFilter selects letters; its zero value selects all. It is the filter of the dlq
// verbs.
type letterFilter struct {
	IDs   []string `json:"ids"`
	Node  string   `json:"node"`
	Kind  string   `json:"kind"`  // or the class
	Since string   `json:"since"` // a duration, or a time (RFC 3339)
	Text  string   `json:"text"`  // in the reason, the message's id or the letter's
	since time.Time
}

func filterOf(q url.Values) (f letterFilter, err error) {
	f = letterFilter{Node: q.Get("node"), Kind: q.Get("kind"), Since: q.Get("since"), Text: q.Get("text")}
	return f, f.parse()
}

func (f *letterFilter) parse() (err error) {
	if f.IDs != nil && len(f.IDs) == 0 {
		return errors.New("ids is empty, and selects nothing: name letters, or leave it out to select by the rest")
	}
	if f.Since == "" {
		return nil
	}
	if d, err := time.ParseDuration(f.Since); err == nil {
		f.since = time.Now().Add(-d)
		return nil
	}
	if f.since, err = time.Parse(time.RFC3339, f.Since); err != nil {
		return fmt.Errorf("since is %q: write 90m, 24h or 2026-11-30T12:00:00Z", f.Since)
	}
	return nil
}

// empty says that nothing was asked for in particular.
func (f *letterFilter) empty() bool {
	return len(f.IDs) == 0 && f.Node == "" && f.Kind == "" && f.Since == "" && f.Text == ""
}

// selects holds the filter against the letter as it is shown: a text that is masked cannot be guessed at.
func (f *letterFilter) selects(p *Pipeline, l *store.DeadLetter) bool {
	return (f.Node == "" || l.Node == f.Node) &&
		(f.Kind == "" || l.Class == f.Kind || string(kindOf(l)) == f.Kind) &&
		(f.since.IsZero() || !l.CreatedAt.Before(f.since)) &&
		(f.Text == "" || strings.Contains(p.redactor.Text(l.Reason, l.Message), f.Text) || l.Message.ID == f.Text || l.ID == f.Text)
}

func kindOf(l *store.DeadLetter) runtime.Kind {
	if l.Failure == nil {
		return ""
	}
	return l.Failure.Kind
}

func (s *Server) listLetters(p *Pipeline, w http.ResponseWriter, r *http.Request) {
	filter, err := filterOf(r.URL.Query())
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	limit, err := number(r.URL.Query().Get("limit"), lettersDefault, lettersMost)
	if err != nil {
		refuse(w, http.StatusBadRequest, "limit: "+err.Error())
		return
	}
	list, err := p.listLetters(r.Context(), &filter, limit)
	if err != nil {
		s.refuseFor(w, err)
		return
	}
	answer(w, list)
}

// number reads a parameter between 1 and most.
func number(text string, def, most int) (int, error) {
	if text == "" {
		return def, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("%q is no number between 1 and %d", text, most)
	}
	return n, nil
}

// listLetters reads all letters and keeps the newest: the store has them oldest first.
func (p *Pipeline) listLetters(ctx context.Context, filter *letterFilter, limit int) (letterListJSON, error) {
	list := letterListJSON{Nodes: map[string]int{}, Kinds: map[string]int{}}
	var newest []letterRowJSON // a ring once it is full
	err := p.Store.Letters(func(l store.DeadLetter) error {
		list.Nodes[l.Node]++
		list.Kinds[causeOf(&l)]++
		if !filter.selects(p, &l) {
			return ctx.Err()
		}
		if len(newest) < limit {
			newest = append(newest, p.letterRow(&l))
		} else {
			newest[list.Selected%limit] = p.letterRow(&l)
		}
		list.Selected++
		return ctx.Err()
	})
	list.Letters = make([]letterRowJSON, 0, len(newest))
	for i := range newest {
		list.Letters = append(list.Letters, newest[(list.Selected-1-i)%len(newest)])
	}
	return list, err
}

// causeOf is the kind where a guest failed, else the class.
func causeOf(l *store.DeadLetter) string {
	if kind := kindOf(l); kind != "" && l.Class == store.ClassTransform {
		return string(kind)
	}
	return l.Class
}

func (p *Pipeline) letterRow(l *store.DeadLetter) letterRowJSON {
	return letterRowJSON{
		ID: l.ID, Node: l.Node, Class: l.Class, Kind: string(kindOf(l)), Reason: p.redactor.Text(l.Reason, l.Message), MessageID: l.Message.ID,
		CreatedAt: l.CreatedAt.UTC().Format(time.RFC3339Nano), Attempts: l.Attempts, ReplayCount: l.ReplayCount, Quarantined: l.Quarantined,
	}
}

func (s *Server) showLetter(p *Pipeline, w http.ResponseWriter, r *http.Request) {
	l, err := p.Store.Letter(r.PathValue("id"))
	if err != nil {
		s.refuseFor(w, err)
		return
	}
	l = p.shownLetter(l)
	var text bytes.Buffer
	s.opt.Show(&text, l)
	answer(w, letterJSON{s.opt.Letter(l), text.String()})
}

// shownLetter is a letter as it may leave: redacted, and cut.
func (p *Pipeline) shownLetter(l store.DeadLetter) store.DeadLetter {
	whole := len(l.Message.Payload)
	l.Reason, l.Failure = p.redactor.Text(l.Reason, l.Message), p.redactor.Failure(l.Failure, l.Message)
	l.Message = p.redactor.Message(l.Message)
	if len(l.Message.Payload) > payloadMost {
		l.Message.Payload = l.Message.Payload[:payloadMost]
		if l.PayloadLength == 0 { // else it was cut before, and says what it had
			l.PayloadLength = int64(whole)
		}
	}
	return l
}

// purgeLetters deletes what a filter selects. Everything is deleted by {"all": true} alone:
// a filter that was forgotten must not do it.
func (s *Server) purgeLetters(p *Pipeline, w http.ResponseWriter, r *http.Request) {
	var q struct {
		letterFilter
		All bool `json:"all"`
	}
	if !read(w, r, &q) {
		return
	}
	if q.empty() != q.All {
		refuse(w, http.StatusBadRequest, `give ids or a filter, or {"all": true} alone`)
		return
	}
	ids, err := selectIDs(r.Context(), p, &q.letterFilter)
	if err == nil {
		ids, err = present(p, &q.letterFilter, ids)
	}
	if err == nil {
		err = p.Store.DeleteLetters(ids...)
	}
	if err != nil {
		s.refuseFor(w, err)
		return
	}
	s.log.Info("console: dead letters purged", "pipeline", p.Plan.Name, "letters", len(ids))
	answer(w, purgedJSON{len(ids)})
}

type purgedJSON struct {
	Purged int `json:"purged"`
}

// present keeps the ids of letters that are there and that the filter selects, each once: what a purge is
// to count.
func present(p *Pipeline, f *letterFilter, ids []string) ([]string, error) {
	seen := make(map[string]bool, len(ids))
	var there []string
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		switch l, err := p.Store.Letter(id); {
		case err == nil && f.selects(p, &l):
			there = append(there, id)
		case err != nil && !errors.Is(err, store.ErrNotFound):
			return nil, err
		}
	}
	return there, nil
}

// selectIDs names the letters that a filter selects, the oldest first; of those that are named, all:
// whoever reads them applies the rest of the filter.
func selectIDs(ctx context.Context, p *Pipeline, f *letterFilter) (ids []string, err error) {
	if err := f.parse(); err != nil {
		return nil, badRequest{err}
	}
	if len(f.IDs) > 0 {
		return f.IDs, nil
	}
	err = p.Store.Letters(func(l store.DeadLetter) error {
		if f.selects(p, &l) {
			ids = append(ids, l.ID)
		}
		return ctx.Err()
	})
	return ids, err
}

// badRequest is an error of who asked.
type badRequest struct{ error }

// refuseFor gives an error its status.
func (s *Server) refuseFor(w http.ResponseWriter, err error) {
	var bad badRequest
	switch {
	case errors.As(err, &bad):
		refuse(w, http.StatusBadRequest, err.Error())
	case errors.Is(err, store.ErrNotFound):
		refuse(w, http.StatusNotFound, "no such dead letter")
	case errors.Is(err, store.ErrClosed), errors.Is(err, store.ErrFailed), errors.Is(err, context.Canceled):
		refuse(w, http.StatusServiceUnavailable, err.Error())
	default:
		refuse(w, http.StatusInternalServerError, err.Error())
	}
}
