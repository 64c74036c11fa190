package console

import (
	"net/http"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/stage"
	"github.com/leat-run/leat/store"
)

// healthJSON names states and no pipeline, stage or topic: it is open to all.
type healthJSON struct {
	Status string         `json:"status"`
	States map[string]int `json:"states"` // pipelines by state
	Stages map[string]int `json:"stages"` // causal stages by state
	Log    string         `json:"log"`    // of topics: none, running, blocked or failed
}

// stateFailed is of what ended with an error: a store, a stage, the log of topics.
const stateFailed engine.State = "failed"

// health is red while anything is blocked or failed. It asks the parts, not the last look: a
// probe must see a hang.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	s.probe(w, func(st engine.State) bool { return st != engine.StateBlocked && st != stateFailed })
}

// ready is green while everything takes messages, or has ended.
func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	s.probe(w, func(st engine.State) bool { return st == engine.StateRunning || st == engine.StateStopped })
}

func (s *Server) probe(w http.ResponseWriter, good func(engine.State) bool) {
	body, status := healthJSON{"ok", map[string]int{}, map[string]int{}, "none"}, http.StatusOK
	see := func(state engine.State) string {
		if !good(state) {
			body.Status, status = "not ok", http.StatusServiceUnavailable
		}
		return string(state)
	}
	for i := range s.opt.Pipelines {
		body.States[see(pipelineState(&s.opt.Pipelines[i]))]++
	}
	for _, one := range s.opt.Stages {
		state, _ := stageState(one)
		body.Stages[see(state)]++
	}
	if s.opt.Topics != nil {
		body.Log = see(logState(s.opt.Topics))
	}
	answerWith(w, status, body)
}

func pipelineState(p *Pipeline) engine.State {
	if p.Store.Err() != nil {
		return stateFailed
	}
	return p.Engine.Status().State
}

// stageState has the reason of what is blocked or failed.
func stageState(s *stage.Stage) (state engine.State, reason string) {
	if err := s.Err(); err != nil {
		return stateFailed, err.Error()
	}
	return s.State()
}

func logState(l *store.Log) engine.State {
	if l.Err() != nil {
		return stateFailed
	}
	if full, _ := l.Blocked(); full != "" {
		return engine.StateBlocked
	}
	return engine.StateRunning
}
