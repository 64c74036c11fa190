package console

import "net/http"

// stateJSON is a state after it was steered.
type stateJSON struct {
	Pipeline string `json:"pipeline"`
	State    string `json:"state"`
}

func (s *Server) pause(p *Pipeline, w http.ResponseWriter, _ *http.Request) {
	s.steer(p, w, "pause", p.Engine.Pause)
}

func (s *Server) resume(p *Pipeline, w http.ResponseWriter, _ *http.Request) {
	s.steer(p, w, "resume", p.Engine.Resume)
}

// drain asks the run of this pipeline to end once what is in flight is done; it does not
// wait for that.
func (s *Server) drain(p *Pipeline, w http.ResponseWriter, _ *http.Request) {
	s.steer(p, w, "drain", p.Engine.Drain)
}

func (s *Server) steer(p *Pipeline, w http.ResponseWriter, what string, do func()) {
	do()
	s.log.Warn("console: "+what, "pipeline", p.Plan.Name)
	s.live.kick()
	answerWith(w, http.StatusAccepted, stateJSON{p.Plan.Name, string(p.Engine.Status().State)})
}
