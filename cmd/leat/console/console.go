package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/codec"
	"github.com/leat-run/leat/engine/control/inbound"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/stage"
	"github.com/leat-run/leat/store"
)

// Pipeline is one pipeline of the run. The console uses its parts while they live: Close
// the console before any of them.
type Pipeline struct {
	Plan     *pipeline.Plan
	Store    *store.Store
	Engine   *engine.Engine
	Codecs   map[string]engine.Codec
	Recorder *Recorder // is told what Engine's Observer is
	redactor *codec.Redactor
}

// Options of Serve. Address is required.
type Options struct {
	// Address is host:port. A port of 0 takes any; a host of "" is the loopback.
	Address string
	// Token is required on an address that is not a loopback one, at least 16 characters;
	// "" on a loopback address asks for none.
	Token     string
	Pipelines []Pipeline
	// Stages are the causal stages of the run; the console is closed before them.
	Stages []*stage.Stage
	// Topics is the log that stages and pipelines of the run meet in; nil where no document needs it.
	Topics  *store.Log
	Version string
	Log     *slog.Logger
	// Letter makes of a dead letter what `leat dlq list --json` prints, and Show prints it
	// as `leat dlq show` does: the words are the command line's.
	Letter func(store.DeadLetter) any
	Show   func(io.Writer, store.DeadLetter)
	// limits are for tests; zero fields are bounds.go's.
	limits limits
}

// limits are the times of a connection.
type limits struct{ header, request, idle time.Duration }

// ErrNoToken says that an address which others can reach was given without a token.
var ErrNoToken = errors.New("console: an address that is not a loopback one needs a token")

// Server answers for the pipelines of one run. Make it with Serve.
type Server struct {
	opt       Options
	log       *slog.Logger
	pipelines map[string]*Pipeline
	listener  net.Listener
	http      *http.Server
	guard     guard
	live      *live
	metrics   *metrics
	replays   chan struct{} // one token per replay under way
	streams   chan struct{} // one token per stream
	closing   chan struct{} // closed when Close begins: streams end
	serving   sync.WaitGroup
	closeOnce sync.Once
	closeErr  error
}

// Serve listens and answers until Close.
func Serve(o Options) (*Server, error) {
	s := &Server{
		opt: o, log: o.Log, pipelines: map[string]*Pipeline{},
		replays: make(chan struct{}, replaysMost), streams: make(chan struct{}, streamsMost), closing: make(chan struct{}),
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	for i := range o.Pipelines {
		p := &o.Pipelines[i]
		p.redactor = codec.NewRedactor(p.Plan.Telemetry.Redact)
		s.pipelines[p.Plan.Name] = p
	}
	if err := s.listen(); err != nil {
		return nil, err
	}
	s.metrics, s.live = newMetrics(s, prometheus.NewRegistry()), newLive(s)
	s.start()
	return s, nil
}

// Check says whether an address may be served with a token, without listening: a mistake
// is told before anything is opened.
func Check(address, token string) error {
	_, _, err := admission(address, token)
	return err
}

// admission is where to listen, and who may ask there.
func admission(address, token string) (hostport string, g guard, err error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", g, fmt.Errorf("console: address %q: write host:port, such as 127.0.0.1:8080: %w", address, err)
	}
	if host == "" {
		host = "127.0.0.1" // nobody is let in from outside by leaving a word out
	}
	g, err = newGuard(host, token)
	return net.JoinHostPort(host, port), g, err
}

func (s *Server) listen() error {
	address, guard, err := admission(s.opt.Address, s.opt.Token)
	if err != nil {
		return err
	}
	s.guard = guard
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("console: %w", err)
	}
	s.listener = inbound.Listen(listener, connectionsMost)
	return nil
}

func (s *Server) start() {
	l := s.opt.limits
	orDefault(&l.header, headerTime)
	orDefault(&l.request, requestTime)
	orDefault(&l.idle, idleTime)
	s.http = &http.Server{
		Handler: s.guard.around(s.routes()), MaxHeaderBytes: headerMost,
		ReadHeaderTimeout: l.header, ReadTimeout: l.request, IdleTimeout: l.idle,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	s.serving.Go(func() { _ = s.http.Serve(s.listener) }) // it ends with Close
	s.serving.Go(func() { s.live.run(s.closing) })
}

func orDefault(field *time.Duration, def time.Duration) {
	if *field == 0 {
		*field = def
	}
}

// Address is where the console is, with the port that was taken.
func (s *Server) Address() string { return s.listener.Addr().String() }

// URL is what an operator opens.
func (s *Server) URL() string { return "http://" + s.Address() + "/" }

// Close ends the streams, waits for the requests under way, within a bound, and returns
// after the last goroutine. It is idempotent.
func (s *Server) Close() error {
	s.closeOnce.Do(func() {
		close(s.closing)
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		if s.closeErr = s.http.Shutdown(ctx); s.closeErr != nil {
			s.closeErr = errors.Join(s.closeErr, s.http.Close())
		}
		s.serving.Wait()
	})
	return s.closeErr
}
