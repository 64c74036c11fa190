package console

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/leat-run/leat/engine/control/inbound"
)

// route is one thing that can be asked. The table is what openapi.json is held against.
type route struct {
	method, path string
	open         bool // needs no token: it holds nothing of the pipelines
	handle       http.HandlerFunc
	query        []string // what it takes in the query
}

// strict says whether a query is held against what the route takes. What others ask too is not:
// a scraper and a balancer may add parameters of their own.
func (r *route) strict() bool { return strings.HasPrefix(r.path, "/api/") }

func (s *Server) table() []route {
	scrape := promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{MaxRequestsInFlight: replaysMost})
	return []route{
		{"GET", "/{$}", true, asset("index.html", "text/html; charset=utf-8"), nil},
		{"GET", "/assets/{name}", true, assets, nil},
		{"GET", "/healthz", true, s.health, nil},
		{"GET", "/readyz", true, s.ready, nil},
		{"GET", "/metrics", false, scrape.ServeHTTP, nil},
		{"GET", "/api/openapi.json", false, asset("openapi.json", "application/json"), nil},
		{"GET", "/api/pipelines", false, s.listPipelines, nil},
		{"GET", "/api/events", false, s.events, nil},
		{"GET", "/api/stages", false, s.listStages, nil},
		{"GET", "/api/pipelines/{pipeline}", false, s.one((*Server).showPipeline), nil},
		{"GET", "/api/pipelines/{pipeline}/dlq", false, s.one((*Server).listLetters), []string{"node", "kind", "since", "text", "limit"}},
		{"GET", "/api/pipelines/{pipeline}/dlq/{id}", false, s.one((*Server).showLetter), nil},
		{"POST", "/api/pipelines/{pipeline}/dlq/purge", false, s.one((*Server).purgeLetters), nil},
		{"POST", "/api/pipelines/{pipeline}/replay", false, s.one((*Server).replay), nil},
		{"POST", "/api/pipelines/{pipeline}/pause", false, s.one((*Server).pause), nil},
		{"POST", "/api/pipelines/{pipeline}/resume", false, s.one((*Server).resume), nil},
		{"POST", "/api/pipelines/{pipeline}/drain", false, s.one((*Server).drain), nil},
		{"GET", "/api/pipelines/{pipeline}/tail", false, s.one((*Server).tail), []string{"rate"}},
	}
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for _, r := range s.table() {
		mux.HandleFunc(r.method+" "+r.path, func(w http.ResponseWriter, q *http.Request) {
			if !r.open && !s.guard.allows(q) {
				w.Header().Set("WWW-Authenticate", "Bearer")
				refuse(w, http.StatusUnauthorized, "the token is missing or wrong: send it as Authorization: Bearer TOKEN")
				return
			}
			if err := inbound.Query(q.URL.RawQuery, r.query...); err != nil && r.strict() {
				refuse(w, http.StatusBadRequest, err.Error())
				return
			}
			r.handle(w, q)
		})
	}
	return mux
}

// one finds the pipeline that a path names.
func (s *Server) one(handle func(*Server, *Pipeline, http.ResponseWriter, *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p := s.pipelines[r.PathValue("pipeline")]
		if p == nil {
			refuse(w, http.StatusNotFound, "no such pipeline in this run")
			return
		}
		handle(s, p, w, r)
	}
}

// refusal is the body of every answer that is no success.
type refusal struct {
	Error string `json:"error"`
}

func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(refusal{why}) // the other side is gone
}

func answer(w http.ResponseWriter, value any) { answerWith(w, http.StatusOK, value) }

func answerWith(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // the other side is gone
}

// read takes a request's body, strictly: a misspelt key of a request that deletes must not
// be read as its absence.
func read(w http.ResponseWriter, r *http.Request, into any) bool {
	err := inbound.JSON(r.Body, into)
	var large *http.MaxBytesError
	switch {
	case err == nil:
		return true
	case errors.As(err, &large):
		refuse(w, http.StatusRequestEntityTooLarge, "the body is larger than 1 MiB")
	default:
		refuse(w, http.StatusBadRequest, "the body is not what this request takes: "+err.Error())
	}
	return false
}
