package endpoint

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/endpoint/lines"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
)

// StdinSpec describes the keys of the stdin source.
func StdinSpec() pipeline.Spec {
	return pipeline.Spec{
		Doc:    "Reads standard input as lines until it ends. What was read is in the spool; a restart cannot read it again.",
		Finite: func(pipeline.Config) bool { return true },
		Fields: []pipeline.Field{
			{Name: "max_line", Type: pipeline.Size, Default: int64(1 << 20), Min: 1, Max: 1 << 30,
				Doc: "the longest line; a longer one becomes a dead letter that holds its first 64 KiB"},
		},
	}
}

// Stdin reads lines from a stream. A group is emitted as soon as the stream has nothing
// more at hand, so that a terminal or a slow pipe is served line by line.
//
// The reading goroutine belongs to Run, which waits for it where the stream can be woken
// (it has SetReadDeadline: a pipe, a socket). A read that cannot be woken, of a terminal, is left behind when
// ctx ends: it holds nothing but its buffer and ends with the stream or the process.
type Stdin struct {
	stream io.Reader
	limit  int
	log    func(msg string, args ...any)
	lines  int64
	empty  int64
	begun  bool
}

// NewStdin reads env.Stdin.
func NewStdin(env engine.SourceEnv) *Stdin {
	s := &Stdin{stream: env.Stdin, limit: int(env.Config.Int("max_line")), log: func(string, ...any) {}}
	if env.Log != nil {
		s.log = env.Log.Info
	}
	return s
}

// Run emits until the stream or ctx ends.
func (s *Stdin) Run(ctx context.Context, emit engine.Emit) error {
	groups := make(chan []engine.Emission)
	ended := make(chan error, 1)
	reading, stop := context.WithCancel(ctx)
	defer stop()
	go func() { ended <- s.read(reading, groups) }()
	for {
		select {
		case group := <-groups:
			if err := emit(ctx, group); err != nil {
				stop()
				s.wake(ended)
				return err
			}
		case err := <-ended:
			return err
		case <-ctx.Done():
			s.wake(ended)
			return ctx.Err()
		}
	}
}

// Commit has nothing to keep: the stream cannot be read again.
func (s *Stdin) Commit(context.Context, runtime.Position) ([]byte, error) { return nil, nil }

// Close leaves the stream to the process.
func (s *Stdin) Close() error { return nil }

// wake ends a blocked read where the stream can be woken, and waits for the reader.
func (s *Stdin) wake(ended <-chan error) {
	stream, ok := s.stream.(interface{ SetReadDeadline(time.Time) error })
	if ok && stream.SetReadDeadline(time.Unix(1, 0)) == nil {
		<-ended
	}
}

// read sends groups until the stream ends.
func (s *Stdin) read(ctx context.Context, groups chan<- []engine.Emission) error {
	reader := lines.NewReader(s.stream, s.limit)
	var group lines.Group
	for {
		line, err := reader.Next()
		if err == nil {
			s.add(&group, line)
		} else if line, ok := reader.Rest(); ok && errors.Is(err, io.EOF) {
			s.add(&group, line)
		}
		if group.Full() || err != nil || !reader.HasLine() {
			if sent := send(ctx, groups, group.Take()); sent != nil {
				return sent
			}
		}
		if err != nil {
			return s.end(err)
		}
	}
}

func send(ctx context.Context, groups chan<- []engine.Emission, group []engine.Emission) error {
	if len(group) == 0 {
		return nil
	}
	select {
	case groups <- group:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Stdin) end(err error) error {
	if s.empty > 0 {
		s.log("empty lines were skipped", "lines", s.empty)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return fmt.Errorf("stdin source: %w", err)
}

func (s *Stdin) add(group *lines.Group, line lines.Line) {
	if !s.begun {
		line = lines.CutBOM(line)
		s.begun = true
	}
	s.lines++
	if line.Length == 0 {
		s.empty++
		return
	}
	position := binary.BigEndian.AppendUint64(nil, uint64(s.lines))
	group.Add(line, "", position, s.limit, func() string { return fmt.Sprintf("standard input, line %d", s.lines) })
}
