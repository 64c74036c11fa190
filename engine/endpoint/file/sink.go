package file

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
)

// SinkSpec describes the keys of the file sink.
func SinkSpec() pipeline.Spec {
	return pipeline.Spec{
		Doc:    "Appends every record as a line to a file, synced before a message counts as delivered.",
		Writes: "path",
		Fields: []pipeline.Field{
			{Name: "path", Type: pipeline.Path, Required: true, Doc: "the file; its directory must exist"},
			{Name: "append", Type: pipeline.Bool, Default: true,
				Doc: "false empties the file when the pipeline's store is new; a later run on the same store goes on"},
		},
	}
}

// keptBuffer is the largest buffer that is kept from one batch to the next.
const keptBuffer = 4 << 20

// Sink appends lines to a file. It belongs to one goroutine.
type Sink struct {
	path string
	env  engine.SinkEnv
	log  *slog.Logger
	out  *tail
	buf  []byte
}

// NewSink opens the file, locks it and repairs its end (invariants 7, 8 and 10). A file that
// another sink has is ErrTaken.
func NewSink(env engine.SinkEnv) (*Sink, error) {
	s := &Sink{path: env.Config.String("path"), env: env, log: env.Log}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.env.SaveState == nil {
		s.env.SaveState = func([]byte) {}
	}
	kept, err := decodeExtent(env.State)
	if err != nil {
		return nil, err
	}
	return s, s.open(kept, !env.Config.Bool("append") && env.State == nil)
}

// Write appends the batch in one write and syncs it.
func (s *Sink) Write(_ context.Context, batch []engine.Record) error {
	if err := s.ensure(); err != nil {
		return err
	}
	s.buf = s.buf[:0]
	for _, record := range batch {
		s.buf = append(append(s.buf, record.Bytes...), '\n')
	}
	err := s.out.append(s.buf)
	if cap(s.buf) > keptBuffer {
		s.buf = nil
	}
	if err != nil {
		return fmt.Errorf("file sink: %w", err)
	}
	s.save()
	return nil
}

// Close closes the file. Every Write was synced.
func (s *Sink) Close() error {
	if err := s.out.close(); err != nil {
		return fmt.Errorf("file sink: %w", err)
	}
	return nil
}

// ensure opens the path again where it does not lead to the open file any more: what is written to
// a file that was removed would be lost, and one that was renamed is complete.
func (s *Sink) ensure() error {
	info, err := os.Stat(s.path)
	if err == nil && s.out.isOpen() && identify(s.path, info) == s.out.extent.identity {
		return nil
	}
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("file sink: %w", err)
	}
	if s.out.isOpen() { // else the path could not be opened the last time
		s.log.Warn("the file was renamed or removed: a new one is begun", "path", s.path)
		_ = s.out.close()
	}
	return s.open(extent{}, false)
}

func (s *Sink) open(kept extent, empty bool) error {
	out, repair, err := openTail(s.path, kept, empty)
	if err != nil {
		return fmt.Errorf("file sink: %w", err)
	}
	if repair != "" {
		s.log.Warn(repair, "path", s.path, "length", out.extent.Length)
	}
	s.out = out
	s.save()
	return nil
}

func (s *Sink) save() { s.env.SaveState(s.out.extent.encode()) }
