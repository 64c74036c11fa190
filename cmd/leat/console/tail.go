package console

import (
	"errors"
	"net/http"
	"time"

	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// sampledJSON is one message as it entered, redacted.
type sampledJSON struct {
	Seq      runtime.Seq       `json:"seq"`
	ID       string            `json:"id"`
	Node     string            `json:"node"` // the source, or the node it was replayed into
	Codec    string            `json:"codec"`
	Ingested string            `json:"ingested"`
	Key      string            `json:"key,omitempty"`
	Meta     map[string]string `json:"meta,omitempty"`
	Payload  string            `json:"payload"`
	Cut      bool              `json:"cut,omitempty"`
	// Passed is how many messages entered since the one before this.
	Passed int64 `json:"passed"`
}

// tail streams a sample of the messages that enter: it reads rows of the spool, evenly
// spread over those that came since it looked last, so that a busy pipeline costs as much
// as an idle one, and what is not durable is not shown.
func (s *Server) tail(p *Pipeline, w http.ResponseWriter, r *http.Request) {
	rate, err := number(r.URL.Query().Get("rate"), tailDefault, tailMost)
	if err != nil {
		refuse(w, http.StatusBadRequest, "rate: "+err.Error())
		return
	}
	// From here on, before the client learns that it is connected: what it sends then is seen.
	t := &sampler{p: p, last: p.Store.LastSeq(), credit: 1, gain: float64(rate) * tailEvery.Seconds(), most: float64(rate)}
	stream, ok := s.open(w)
	if !ok {
		return
	}
	defer stream.close()
	if stream.control.Flush() != nil {
		return
	}
	tick := time.NewTicker(tailEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		case <-s.closing:
			return
		}
		err := t.sample(func(m sampledJSON) error { return stream.send("message", m) })
		if err != nil {
			return
		}
	}
}

// sampler picks rows at a rate.
type sampler struct {
	p          *Pipeline
	last       runtime.Seq // that was seen or passed over
	credit     float64     // rows that may be shown now
	gain, most float64
}

func (t *sampler) sample(show func(sampledJSON) error) error {
	t.credit = min(t.credit+t.gain, t.most)
	end := t.p.Store.LastSeq()
	fresh := int64(end - t.last)
	n := min(int64(t.credit), fresh)
	from := t.last
	for i := range n {
		at := from + runtime.Seq(fresh*(i+1)/n)
		row, err := t.p.Store.ReadRow(at)
		if errors.Is(err, store.ErrNotFound) {
			continue // trimmed already
		}
		if err != nil {
			return err
		}
		if err := show(t.shown(&row)); err != nil {
			return err
		}
		t.last = at
		t.credit--
	}
	return nil
}

func (t *sampler) shown(row *store.Row) sampledJSON {
	m := t.p.redactor.Message(row.Message)
	out := sampledJSON{
		Seq: row.Seq, ID: m.ID, Node: row.Node, Codec: m.Codec, Key: string(m.Key), Meta: m.Meta,
		Ingested: m.Ingested.UTC().Format(time.RFC3339Nano), Passed: int64(row.Seq - t.last),
	}
	out.Payload, out.Cut = cutText(m.Payload)
	return out
}
