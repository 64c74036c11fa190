package console

import (
	"net/http"

	"github.com/leat-run/leat/engine"
)

// healthJSON names states and no pipeline: it is open to all.
type healthJSON struct {
	Status string         `json:"status"`
	States map[string]int `json:"states"` // pipelines by state
}

// health is red while a pipeline is blocked or its store failed. It asks the pipelines,
// not the last look: a probe must see a hang.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	s.probe(w, func(st engine.State) bool { return st != engine.StateBlocked })
}

// ready is green while every pipeline takes messages, or has ended.
func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	s.probe(w, func(st engine.State) bool { return st == engine.StateRunning || st == engine.StateStopped })
}

func (s *Server) probe(w http.ResponseWriter, good func(engine.State) bool) {
	body, status := healthJSON{"ok", map[string]int{}}, http.StatusOK
	for i := range s.opt.Pipelines {
		p := &s.opt.Pipelines[i]
		state := string(p.Engine.Status().State)
		if p.Store.Err() != nil {
			state = "failed"
		}
		body.States[state]++
		if state == "failed" || !good(engine.State(state)) {
			body.Status, status = "not ok", http.StatusServiceUnavailable
		}
	}
	answerWith(w, status, body)
}
