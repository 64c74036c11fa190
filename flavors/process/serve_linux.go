package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/leat-run/leat/runtime"
)

// IsChild says that this process was started to be a child. main asks before anything else.
func IsChild() bool {
	_, marked := os.LookupEnv(childMark)
	return marked
}

// Serve is the whole life of a child: it loads one guest and runs messages until the parent
// closes the pipe. It returns the exit status. REQUIRES: IsChild.
func Serve(flavors map[string]runtime.Flavor) int {
	if v := os.Getenv(childMark); v != childVersion {
		fmt.Fprintf(os.Stderr, "process: the parent speaks version %q, this binary %q\n", v, childVersion)
		return 1
	}
	in, out := os.NewFile(childIn, "messages"), os.NewFile(childOut, "answers")
	p, err := mapPage(os.NewFile(childPage, "page"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	s := &server{in: inbox{from: &spinReader{from: in, wrote: p.asked}}, out: tallyWriter{out, p.answered}, page: p}
	if err := s.serve(flavors); err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// server is a child's state. All of it belongs to one goroutine.
type server struct {
	in     inbox
	out    io.Writer
	page   page
	load   load
	module runtime.Module
	worker *runtime.Worker
	buf    []byte // answers that are not written yet
	logs   []logged
	now    struct {
		recycled runtime.Recycle
		last     runtime.Message // its source and codec only
		seq      uint64
		spent    time.Duration // by guests since the limit of CPU time was renewed
		renewed  time.Time
	}
}

const (
	// flushBytes is how many bytes of answers wait for others.
	flushBytes = 64 << 10
	// renewCPU is how often the limit of CPU time is moved.
	renewCPU = time.Second
)

func (s *server) serve(flavors map[string]runtime.Flavor) error {
	body, err := readFrame(&s.in, frameLoad, maxLoad)
	if err != nil {
		return err
	}
	if s.load, err = readLoad(body); err != nil {
		return err
	}
	body = nil
	says := s.start(flavors)
	if _, err := s.out.Write(appendLoaded(nil, &says)); err != nil || says.err != nil {
		return err
	}
	s.load.Code.Bytes = nil
	for {
		if err := s.next(); err != nil {
			return err
		}
	}
}

// start limits the process, loads the guest, makes its first instance and limits the process
// again.
func (s *server) start(flavors map[string]runtime.Flavor) (says loaded) {
	if says.err = confine(s.load.Limited); says.err != nil {
		return says
	}
	flavor, ok := flavors[s.load.Flavor]
	if !ok {
		says.err = fmt.Errorf("process: this binary has no flavor %q", s.load.Flavor)
		return says
	}
	ctx := context.Background()
	if s.module, says.err = flavor.Compile(ctx, s.load.Code, s.load.Settings); says.err != nil {
		return says
	}
	says.digest, says.warnings = s.module.Digest(), s.module.Warnings()
	if sourced, ok := s.module.(runtime.Sourced); ok {
		says.files = sourced.Files()
	}
	host := runtime.Host{Log: func(level, text string) { s.logs = append(s.logs, logged{level, text}) }}
	s.worker, says.err = runtime.NewWorker(ctx, s.module, host, func(r runtime.Recycle) { s.now.recycled = r })
	if says.err != nil {
		return says
	}
	says.ceiling, says.err = tighten(s.load.Settings.Budget, s.load.Limited)
	s.page.running.Store(pageIdle)
	return says
}

// next runs one message. Answers are written when no further message waits.
func (s *server) next() error {
	if s.in.buffered() < frameHeader {
		if err := s.pause(); err != nil {
			return err
		}
	}
	if _, err := s.in.Peek(frameHeader); err != nil {
		return err
	}
	s.now.seq++
	s.page.running.Store(s.now.seq)
	body, err := s.in.frame(frameMessage, maxMessage)
	if err != nil {
		return err
	}
	r := reader{rest: body}
	m := r.message(&s.now.last)
	if err := r.end(); err != nil {
		return err
	}
	s.now.last.Source, s.now.last.Codec = m.Source, m.Codec
	var a answer
	a.Result, a.Err = s.worker.Apply(context.Background(), m)
	a.Recycled, a.logs = s.now.recycled, s.logs
	s.answer(&a, &m)
	s.page.running.Store(pageIdle)
	s.logs, s.now.recycled = s.logs[:0], runtime.RecycleNone
	if err := s.rest(&a); err != nil {
		return err
	}
	if len(s.buf) > flushBytes {
		return s.flush()
	}
	return nil
}

// answer appends the answer to m, or a failure that says that it is too long.
func (s *server) answer(a *answer, m *runtime.Message) {
	b, at := beginFrame(s.buf, frameAnswer)
	b = appendAnswer(b, a, m)
	budget := s.load.Settings.Budget
	if size := int64(len(b) - at); size > maxAnswer(budget) {
		a.Out, a.logs = nil, nil
		a.Err = &runtime.Failure{
			Kind: runtime.KindOutput, Deterministic: true, Measured: size, Limit: maxAnswer(budget),
			Message: "the outputs with their meta are too large", Hint: "emit less, or hold less in meta",
		}
		b = appendAnswer(b[:at+frameHeader], a, m)
	}
	s.buf = endFrame(b, at)
}

// rest does what comes between messages: a new instance for a spent one, so that its start
// is nobody's time, and the limit of CPU time.
func (s *server) rest(a *answer) error {
	if a.Recycled != runtime.RecycleNone {
		s.page.running.Store(pageStarting | s.now.seq)
		_ = s.worker.Ready(context.Background()) // the next message tells why there is none
		s.page.running.Store(pageIdle)
	}
	if s.now.spent += a.Usage.Duration; s.now.spent < renewCPU && a.Recycled == runtime.RecycleNone {
		return nil
	}
	return s.renew()
}

// pause is before a wait: what is left of the CPU time must outlast any number of messages
// that cost their guests nothing.
func (s *server) pause() error {
	if err := s.flush(); err != nil || time.Since(s.now.renewed) < renewCPU {
		return err
	}
	return s.renew()
}

func (s *server) renew() error {
	s.now.spent, s.now.renewed = 0, time.Now()
	return limitCPU(messageCPU(s.load.Settings.Budget))
}

func (s *server) flush() error {
	if len(s.buf) == 0 {
		return nil
	}
	_, err := s.out.Write(s.buf)
	if s.buf = s.buf[:0]; cap(s.buf) > 1<<20 {
		s.buf = nil
	}
	return err
}
