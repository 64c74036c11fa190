package console

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/leat-run/leat/engine"
)

// look is a status and when it was taken.
type look struct {
	at     time.Time
	status engine.RunStatus
}

// live looks at every pipeline once a second, and tells who listens. The rows of a look are
// made once for all listeners.
type live struct {
	s  *Server
	mu struct {
		sync.Mutex
		rows    []pipelineJSON
		looks   [2][]look     // by pipeline: the last, and the one before, which rates start from
		changed chan struct{} // closed with the next look
	}
	kicked chan struct{} // one token: look at once
}

func newLive(s *Server) *live {
	l := &live{s: s, kicked: make(chan struct{}, 1)}
	l.mu.changed = make(chan struct{})
	now := l.look()
	l.mu.looks = [2][]look{now, now}
	l.tell(now, false)
	return l
}

func (l *live) run(stop <-chan struct{}) {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-l.kicked:
			l.tell(l.look(), false)
		case <-tick.C:
			l.tell(l.look(), true)
		}
	}
}

// kick has the next look taken now: something was changed by hand.
func (l *live) kick() {
	select {
	case l.kicked <- struct{}{}:
	default:
	}
}

func (l *live) look() []look {
	now := make([]look, len(l.s.opt.Pipelines))
	for i := range now {
		now[i] = look{time.Now(), l.s.opt.Pipelines[i].Engine.Status()}
	}
	return now
}

// tell makes the rows of a look. One of a kick is not kept: rates would start too near.
func (l *live) tell(now []look, keep bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if keep {
		l.mu.looks = [2][]look{now, l.mu.looks[0]}
	}
	l.mu.rows = l.rowsLocked(now)
	close(l.mu.changed)
	l.mu.changed = make(chan struct{})
}

func (l *live) rowsLocked(now []look) []pipelineJSON {
	rows := make([]pipelineJSON, len(now))
	for i := range now {
		rows[i] = pipelineRow(&l.s.opt.Pipelines[i], &now[i], &l.mu.looks[1][i])
	}
	return rows
}

// last is the latest look, and a channel that is closed with the next.
func (l *live) last() ([]pipelineJSON, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.rows, l.mu.changed
}

// fresh is how things are at this moment.
func (l *live) fresh() []pipelineJSON {
	now := l.look()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rowsLocked(now)
}

func (s *Server) listPipelines(w http.ResponseWriter, _ *http.Request) { answer(w, s.live.fresh()) }

func (s *Server) showPipeline(p *Pipeline, w http.ResponseWriter, _ *http.Request) {
	for _, row := range s.live.fresh() {
		if row.Pipeline == p.Plan.Name {
			answer(w, row)
		}
	}
}

// events streams every look.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	stream, ok := s.open(w)
	if !ok {
		return
	}
	defer stream.close()
	for {
		rows, changed := s.live.last()
		if stream.send("pipelines", rows) != nil {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		case <-s.closing:
			return
		}
	}
}

// stream is an answer that goes on: server-sent events.
type stream struct {
	s       *Server
	w       http.ResponseWriter
	control *http.ResponseController
}

// open begins a stream, if there is room for one more.
func (s *Server) open(w http.ResponseWriter) (*stream, bool) {
	select {
	case s.streams <- struct{}{}:
	default:
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable, fmt.Sprintf("%d streams are open already", streamsMost))
		return nil, false
	}
	w.Header().Set("Content-Type", "text/event-stream")
	return &stream{s, w, http.NewResponseController(w)}, true
}

func (st *stream) close() { <-st.s.streams }

// send writes one event; who does not take it in time loses the connection.
func (st *stream) send(event string, value any) error {
	text, err := json.Marshal(value) // without line breaks: one data line
	if err != nil {
		panic(err) // our own types
	}
	if err := st.control.SetWriteDeadline(time.Now().Add(answerTime)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(st.w, "event: %s\ndata: %s\n\n", event, text); err != nil {
		return err
	}
	return st.control.Flush()
}
