package console

import "net/http"

// stateJSON is a state after it was steered.
type stateJSON struct {
	Pipeline string `json:"pipeline"`
	State    string `json:"state"`
}

func (s *Server) pause(p *Pipeline, w http.ResponseWriter, r *http.Request) {
	s.steer(p, w, r, "pause", p.Engine.Pause)
}

func (s *Server) resume(p *Pipeline, w http.ResponseWriter, r *http.Request) {
	s.steer(p, w, r, "resume", p.Engine.Resume)
}

// drain asks the run of this pipeline to end once what is in flight is done; it does not
// wait for that.
func (s *Server) drain(p *Pipeline, w http.ResponseWriter, r *http.Request) {
	s.steer(p, w, r, "drain", p.Engine.Drain)
}

// steer does what the path says: its request has nothing to add.
func (s *Server) steer(p *Pipeline, w http.ResponseWriter, r *http.Request, what string, do func()) {
	if r.ContentLength != 0 && !read(w, r, &struct{}{}) {
		return
	}
	do()
	s.log.Warn("console: "+what, "pipeline", p.Plan.Name)
	s.live.kick()
	answerWith(w, http.StatusAccepted, stateJSON{p.Plan.Name, string(p.Engine.Status().State)})
}
