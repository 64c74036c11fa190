package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/control/inbound"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

const (
	// socketName is the socket's file in a store's directory.
	socketName = "control.sock"
	// pathMost is what a unix socket's address can hold on every platform.
	pathMost = 100
	// bodyMost bounds a request's body: many records are appended at once.
	bodyMost = 16 << 20
	// headersMost bounds a request's headers.
	headersMost = 16 << 10
	// connectionsMost bounds the connections that are served at once; further ones wait in the
	// kernel's queue until one is closed.
	connectionsMost = 64
	// headersWithin bounds the time from a connection to its first request's last header.
	headersWithin = 5 * time.Second
	// requestWithin bounds the time to the last byte of a request's body.
	requestWithin = 30 * time.Second
	// idleFor is how long a connection is kept between two requests. A client lets go of it
	// after clientIdleFor, so that it does not send a request into one that is being closed.
	idleFor       = time.Minute
	clientIdleFor = idleFor / 2
	// closeAfter bounds how long Close waits for requests.
	closeAfter = 5 * time.Second
)

// Server answers for one run. Make it with Serve.
type Server struct {
	engine  *engine.Engine
	store   *store.Store
	http    *http.Server
	mux     *http.ServeMux
	address string
	private string // the directory to remove, "" if the socket is in the store's
	serving sync.WaitGroup
}

// Serve listens on control.sock in dir, the store's own directory. Where that path is too
// long for a socket it takes a private temporary directory: Address says where it is, and
// store.Announce tells others.
func Serve(dir string, e *engine.Engine, st *store.Store) (*Server, error) {
	s := &Server{engine: e, store: st, address: filepath.Join(dir, socketName)}
	return s, s.serve(dir, s.routes())
}

func (s *Server) serve(dir string, routes http.Handler) error {
	listener, err := s.listen(dir)
	if err != nil {
		return fmt.Errorf("control: listen: %w", err)
	}
	s.accept(listener, routes)
	return nil
}

// accept serves a listener within the bounds. There is none on the time of an answer: a replay is
// waited for, and a list is read as fast as a person does. Who reads slowly holds one connection.
func (s *Server) accept(listener net.Listener, routes http.Handler) {
	s.http = &http.Server{
		Handler: routes, MaxHeaderBytes: headersMost,
		ReadHeaderTimeout: headersWithin, ReadTimeout: requestWithin, IdleTimeout: idleFor,
	}
	s.serving.Go(func() { _ = s.http.Serve(inbound.Listen(listener, connectionsMost)) }) // it ends with Close
}

// Offer answers GET path with what look returns, as JSON: what a run knows beyond the engine
// and the store. It may be called while requests come in; a path is offered once.
func (s *Server) Offer(path string, look func() any) {
	s.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { answer(w, look()) })
}

// Address is the socket's path.
func (s *Server) Address() string { return s.address }

// Close stops listening and waits for the requests under way, within a bound.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeAfter)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	s.serving.Wait()
	_ = os.Remove(s.address)
	if s.private != "" {
		_ = os.Remove(s.private)
	}
	return err
}

// listen makes the socket in a private directory, closes it to others and moves it into
// place, so that there is no moment at which another user could connect.
func (s *Server) listen(dir string) (net.Listener, error) {
	private, err := os.MkdirTemp(placeFor(dir), "ctl")
	if err != nil {
		return nil, err
	}
	made := filepath.Join(private, socketName)
	if len(made) > pathMost {
		return nil, errors.Join(fmt.Errorf("%s is too long for a socket: set TMPDIR to a shorter directory", made), os.Remove(private))
	}
	listener, err := net.Listen("unix", made)
	if err != nil {
		return nil, errors.Join(err, os.Remove(private))
	}
	listener.(*net.UnixListener).SetUnlinkOnClose(false)
	if err := os.Chmod(made, 0o600); err != nil {
		return nil, errors.Join(err, listener.Close(), os.RemoveAll(private))
	}
	if len(s.address) > pathMost {
		s.address, s.private = made, private
		return listener, nil
	}
	if err := os.Rename(made, s.address); err != nil {
		return nil, errors.Join(err, listener.Close(), os.RemoveAll(private))
	}
	return listener, os.Remove(private)
}

// placeFor is where the private directory goes: beside the socket, unless that is too long.
func placeFor(dir string) string {
	if len(dir)+len("/ctl1234567890/")+len(socketName) > pathMost {
		return os.TempDir()
	}
	return dir
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	s.mux = mux
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) { answer(w, s.engine.Status()) })
	mux.HandleFunc("GET /dlq", s.letters)
	mux.HandleFunc("POST /dlq/delete", s.deleteLetters)
	mux.HandleFunc("GET /spool/{seq}", s.row)
	mux.HandleFunc("POST /replay", s.replay)
	mux.HandleFunc("POST /drain", func(w http.ResponseWriter, r *http.Request) {
		if !read(w, r, &struct{}{}) {
			return
		}
		s.engine.Drain()
		w.WriteHeader(http.StatusAccepted)
	})
	return mux
}

func (s *Server) letters(w http.ResponseWriter, r *http.Request) {
	out := json.NewEncoder(w)
	err := s.store.Letters(func(l store.DeadLetter) error {
		if err := r.Context().Err(); err != nil {
			return err
		}
		return out.Encode(l)
	})
	if err != nil {
		panic(http.ErrAbortHandler) // half a list must not look like a whole one
	}
}

func (s *Server) deleteLetters(w http.ResponseWriter, r *http.Request) {
	var q lettersRequest
	if !read(w, r, &q) {
		return
	}
	if err := s.store.DeleteLetters(q.IDs...); err != nil {
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	answer(w, struct{}{})
}

func (s *Server) row(w http.ResponseWriter, r *http.Request) {
	seq, err := strconv.ParseUint(r.PathValue("seq"), 10, 64)
	if err != nil {
		refuse(w, http.StatusBadRequest, fmt.Errorf("%q is no row's number", r.PathValue("seq")))
		return
	}
	row, err := s.store.ReadRow(runtime.Seq(seq))
	if err != nil {
		refuseCode(w, err)
		return
	}
	answer(w, row)
}

func (s *Server) replay(w http.ResponseWriter, r *http.Request) {
	var q replayRequest
	if !read(w, r, &q) {
		return
	}
	if len(q.IDs) == 0 && q.Window == nil {
		answer(w, engine.ReplayResult{})
		return
	}
	result, err := s.engine.Replay(r.Context(), engine.ReplayRequest{IDs: q.IDs, At: q.At, Delete: q.Delete, Window: q.Window})
	switch {
	case errors.Is(err, engine.ErrUnknownNode):
		refuseCode(w, err)
	case errors.Is(err, engine.ErrWindow):
		refuse(w, http.StatusRequestedRangeNotSatisfiable, err)
	case err != nil:
		refuse(w, http.StatusInternalServerError, err)
	default:
		answer(w, result)
	}
}

type lettersRequest struct {
	IDs []string `json:"ids"`
}

type replayRequest struct {
	IDs    []string `json:"ids"`
	At     string   `json:"at"`
	Delete bool     `json:"delete"`
	// Window takes the place of the IDs.
	Window *engine.Window `json:"window,omitempty"`
}

type refusal struct {
	Error string `json:"error"`
	Code  string `json:"code,omitempty"` // of codes
}

// read takes a request's body; what the request does not take is refused.
func read(w http.ResponseWriter, r *http.Request, into any) bool {
	err := inbound.JSON(http.MaxBytesReader(w, r.Body, bodyMost), into)
	var large *http.MaxBytesError
	switch {
	case err == nil:
		return true
	case errors.As(err, &large):
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Errorf("the body is larger than %d bytes", bodyMost))
	default:
		refuse(w, http.StatusBadRequest, fmt.Errorf("the body is not what this request takes: %w", err))
	}
	return false
}

func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // the other side is gone
}

func refuse(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(refusal{Error: err.Error()}) // the other side is gone
}
