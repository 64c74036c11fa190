package endpoint

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
)

// StdoutSpec describes the stdout sink, which has no keys.
func StdoutSpec() pipeline.Spec {
	return pipeline.Spec{Doc: "Writes every record as a line to standard output. Nothing is synced: the reader owns what it took."}
}

// Stdout writes lines to a stream. It belongs to one goroutine.
type Stdout struct {
	out io.Writer
	buf []byte
	// rest is what is missing of the line in which an earlier write stopped; the next write begins
	// with it, so that no reader sees half a line.
	rest []byte
}

// NewStdout writes to env.Stdout.
func NewStdout(env engine.SinkEnv) *Stdout { return &Stdout{out: env.Stdout} }

// Write hands the whole batch to the stream in one write.
func (s *Stdout) Write(_ context.Context, batch []engine.Record) error {
	if err := s.finishLine(); err != nil {
		return err
	}
	s.buf = s.buf[:0]
	for _, record := range batch {
		s.buf = append(append(s.buf, record.Bytes...), '\n')
	}
	n, err := s.out.Write(s.buf)
	if err != nil {
		s.rest = restOfLine(s.buf, n)
		return fmt.Errorf("stdout sink: %w", err)
	}
	return nil
}

// Close has nothing to flush. The stream belongs to the process.
func (s *Stdout) Close() error { return nil }

func (s *Stdout) finishLine() error {
	if len(s.rest) == 0 {
		return nil
	}
	n, err := s.out.Write(s.rest)
	s.rest = s.rest[n:]
	if err != nil {
		return fmt.Errorf("stdout sink: %w", err)
	}
	return nil
}

// restOfLine returns a copy of what follows the first n bytes in their line; nil at a line's start.
func restOfLine(text []byte, n int) []byte {
	if n == 0 || text[n-1] == '\n' {
		return nil
	}
	end := n + bytes.IndexByte(text[n:], '\n') + 1
	return bytes.Clone(text[n:end])
}
