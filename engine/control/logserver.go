package control

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/stage"
	"github.com/leat-run/leat/store"
)

// StageState is what a running stage says of what it holds and what blocks it.
type StageState struct {
	Running     bool
	Description stage.Description
	Counts      stage.Counts
	Holds       []stage.Hold
	Blocked     []stage.Blocked
}

// ServeLog serves a data dir's log and the stages of this process on control.sock in dir, the
// log's own directory, like Serve a pipeline's run.
//
//	GET  /topics                 store.Topic, all
//	POST /topics/create|delete   TopicSpec -> Topic | {"name": ""}
//	POST /topics/read|append     ReadAt -> [TopicRecord] | Append -> [Place]
//	GET  /stages/{name}          StageState
//	POST /stages/describe|waiting stage.Outline -> stage.Description | stage.Waiting: of one that does not run here
//	POST /stages/{name}/replay   {"ids": [...]} -> engine.ReplayResult
//	GET  /dlq, POST /dlq/delete  as of a pipeline: the letters of all stages
func ServeLog(dir string, log *store.Log, stages ...*stage.Stage) (*Server, error) {
	s := &Server{store: log.Store, address: filepath.Join(dir, socketName)}
	l := &logServer{Server: s, topics: Local{log}, stages: map[string]*stage.Stage{}}
	for _, one := range stages {
		l.stages[one.Name()] = one
	}
	return s, s.serve(dir, l.routes())
}

type logServer struct {
	*Server
	topics Local
	stages map[string]*stage.Stage
}

func (s *logServer) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /topics", func(w http.ResponseWriter, r *http.Request) { answer(w, s.topics.Log.Topics()) })
	mux.HandleFunc("POST /topics/create", serveCall(s.topics.Create))
	mux.HandleFunc("POST /topics/delete", serveCall(func(ctx context.Context, q nameRequest) (struct{}, error) {
		return struct{}{}, s.topics.Delete(ctx, q.Name)
	}))
	mux.HandleFunc("POST /topics/read", serveCall(s.topics.Read))
	mux.HandleFunc("POST /topics/append", serveCall(s.topics.Append))
	mux.HandleFunc("GET /stages/{name}", s.stage)
	mux.HandleFunc("POST /stages/describe", serveCall(s.describe))
	mux.HandleFunc("POST /stages/waiting", serveCall(s.waiting))
	mux.HandleFunc("POST /stages/{name}/replay", s.replayStage)
	mux.HandleFunc("GET /dlq", s.letters)
	mux.HandleFunc("POST /dlq/delete", s.deleteLetters)
	return mux
}

type nameRequest struct {
	Name string `json:"name"`
}

// serveCall answers one request by one call.
func serveCall[Q, A any](call func(context.Context, Q) (A, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var q Q
		if !read(w, r, &q) {
			return
		}
		a, err := call(r.Context(), q)
		if err != nil {
			refuseCode(w, err)
			return
		}
		answer(w, a)
	}
}

// codes are the errors that keep their identity on the way through the socket.
var codes = map[string]error{
	"topic": store.ErrTopic, "topic-exists": store.ErrTopicExists, "no-topic": store.ErrNoTopic,
	"offset": store.ErrOffset, "claim": ErrClaim, "node": engine.ErrUnknownNode, "not-found": store.ErrNotFound, "header": causal.ErrReservedHeader, "too-large": store.ErrTooLarge,
	"start": stage.ErrStart,
}

func refuseCode(w http.ResponseWriter, err error) {
	refused, status := refusal{Error: err.Error()}, http.StatusInternalServerError
	for code, known := range codes {
		if errors.Is(err, known) {
			refused.Code, status = code, http.StatusConflict
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(refused) // the other side is gone
}

func (s *logServer) stage(w http.ResponseWriter, r *http.Request) {
	one := s.stages[r.PathValue("name")]
	if one == nil {
		answer(w, StageState{})
		return
	}
	d, err := one.Describe()
	if err != nil {
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	answer(w, StageState{Running: true, Description: d, Counts: one.Counts(), Holds: one.Holds(), Blocked: one.Blocked()})
}

// describe and waiting tell of a stage without its guest. That nothing of it runs makes the look safe: only its own
// run writes its state, and none begins while this process has the log.
func (s *logServer) describe(_ context.Context, o stage.Outline) (stage.Description, error) {
	return o.Describe(s.topics.Log)
}

func (s *logServer) waiting(_ context.Context, o stage.Outline) (stage.Waiting, error) {
	if s.stages[o.Name] != nil {
		return stage.Waiting{}, errors.New("the stage runs")
	}
	return o.Waiting(s.topics.Log)
}

func (s *logServer) replayStage(w http.ResponseWriter, r *http.Request) {
	one := s.stages[r.PathValue("name")]
	if one == nil {
		refuse(w, http.StatusNotFound, errors.New("the stage is not among those that run"))
		return
	}
	serveCall(func(ctx context.Context, q lettersRequest) (engine.ReplayResult, error) {
		return one.Replay(ctx, q.IDs...)
	})(w, r)
}
