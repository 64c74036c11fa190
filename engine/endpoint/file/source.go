package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"sync/atomic"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/endpoint/lines"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
)

const (
	modeBatch, modeTail      = "batch", "tail"
	startBeginning, startEnd = "beginning", "end"
)

// SourceSpec describes the keys of the file source.
func SourceSpec() pipeline.Spec {
	return pipeline.Spec{
		Doc:    "Reads a file, or every file that a glob matches, as lines; plain or gzip. Empty lines are skipped and counted.",
		Finite: func(c pipeline.Config) bool { return c.String("mode") == modeBatch },
		Reads:  func(c pipeline.Config, path string) bool { return reads(c.String("path"), path) },
		Fields: []pipeline.Field{
			{Name: "path", Type: pipeline.Path, Required: true,
				Doc: "the file, or a glob (* ? [a-z]); files are read in the order of their names"},
			{Name: "start", Type: pipeline.String, Default: startBeginning, Enum: []string{startBeginning, startEnd},
				Doc: "where to begin in a file that no earlier run has read"},
			{Name: "mode", Type: pipeline.String, Default: modeBatch, Enum: []string{modeBatch, modeTail},
				Doc: "batch reads to the end; tail goes on with what is written later, through renames and new files"},
			{Name: "max_line", Type: pipeline.Size, Default: int64(1 << 20), Min: 1, Max: 1 << 30,
				Doc: "the longest line; a longer one becomes a dead letter that holds its first 64 KiB"},
		},
	}
}

// Source reads files. Run and Commit may be called from two goroutines.
type Source struct {
	pattern string
	start   string
	tail    bool
	limit   int
	log     *slog.Logger
	known   []place // of earlier runs, and those of this one that were cut
	first   []string
	anew    bool // no run has kept a state

	ledger ledger
	group  lines.Group
	count  uint64 // emissions so far
	read   atomic.Int64
	total  atomic.Int64
}

// NewSource finds the files. In batch mode a pattern that matches nothing is an error; in tail mode it is
// waited for.
func NewSource(env engine.SourceEnv) (*Source, error) {
	kept, err := decodeState(env.State)
	if err != nil {
		return nil, err
	}
	s := &Source{
		pattern: env.Config.String("path"),
		start:   env.Config.String("start"),
		tail:    env.Config.String("mode") == modeTail,
		limit:   int(env.Config.Int("max_line")),
		log:     env.Log,
		known:   kept.Files,
		anew:    env.State == nil,
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.first, err = match(s.pattern); err != nil {
		return nil, err
	}
	if len(s.first) == 0 {
		if !s.tail {
			return nil, &noFileError{s.pattern}
		}
		s.log.Warn("no file matches yet: waiting for one", "path", s.pattern)
	}
	s.measure(s.first)
	s.await()
	return s, nil
}

// Run reads to the end of every file, or follows them until ctx ends.
func (s *Source) Run(ctx context.Context, emit engine.Emit) error {
	if s.tail {
		return newFollower(s).run(ctx, emit)
	}
	for _, path := range s.first {
		if err := s.readFile(ctx, emit, path); err != nil {
			return err
		}
	}
	return s.flush(ctx, emit)
}

// Commit is told of a position and returns how far every file is.
func (s *Source) Commit(_ context.Context, through runtime.Position) ([]byte, error) {
	return s.ledger.commit(through)
}

// Progress returns bytes on disk; of a gzip file its compressed ones.
func (s *Source) Progress() (read, total int64) {
	read = s.read.Load()
	return read, max(read, s.total.Load())
}

// Close has nothing to release: Run closes what it opened.
func (s *Source) Close() error { return nil }

// await keeps what is known of files that are there until this run comes to them.
func (s *Source) await() {
	for _, path := range s.first {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		id := identify(path, info)
		for _, known := range s.known {
			if known.identity == id || known.Path == path {
				s.ledger.await(path, known)
			}
		}
	}
}

func (s *Source) measure(paths []string) {
	var total int64
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			total += info.Size()
		}
	}
	s.total.Store(total)
}

func (s *Source) readFile(ctx context.Context, emit engine.Emit, path string) error {
	st, err := s.open(ctx, path)
	if err != nil {
		return err
	}
	defer st.close()
	for {
		err := s.readGroup(st)
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended {
			return err
		}
		if err := st.overwritten(); err != nil {
			return err // the group goes with it: it may be torn
		}
		if ended {
			break
		}
		if err := s.flush(ctx, emit); err != nil {
			return err
		}
	}
	s.finish(st, false)
	if err := st.replaced(); err != nil {
		return errors.Join(s.flush(ctx, emit), err)
	}
	return nil
}

// readGroup fills the group from a stream. nil: the group is full; io.EOF: the stream has
// no more for now.
func (s *Source) readGroup(st *stream) error {
	for !s.group.Full() {
		if st.Broken {
			return io.EOF
		}
		line, err := st.next()
		switch {
		case err == nil:
			s.add(st, line)
		case err == io.EOF:
			return err
		case st.raw.err != nil:
			return fmt.Errorf("file source: %s: %w", st.Path, st.raw.err)
		default:
			s.addBroken(st, err)
		}
	}
	return nil
}

func (s *Source) flush(ctx context.Context, emit engine.Emit) error {
	if group := s.group.Take(); len(group) > 0 {
		return emit(ctx, group)
	}
	return nil
}

func (s *Source) add(st *stream, line lines.Line) {
	s.identifyLine(st)
	s.group.Add(line, s.id(st), s.position(st), s.limit, func() string {
		return fmt.Sprintf("%s line %d", st.name(), st.Lines)
	})
}

// addBroken emits what was read of the line in which a gzip stream broke off (C52): a dead
// letter, once. The file is not read again before it has changed. Where its end is missing, the
// mark stays behind the last whole line: the one that was cut is read when it is whole.
func (s *Source) addBroken(st *stream, cause error) {
	line, _ := st.lines.Rest()
	before, cut := st.mark, errors.Is(cause, io.ErrUnexpectedEOF)
	hint := "make the file again; it is read anew once it has changed"
	st.Lines++
	if cut {
		hint = "complete the file: once it is longer, it is read on from this line, which then is a message of its own"
	} else {
		st.Offset, st.Last = st.Offset+line.Size, 0
		s.identifyLine(st)
	}
	s.log.Warn("a gzip file is broken: what stands before the fault was read", "path", st.Path, "line", st.Lines, "fault", cause)
	id, number := s.id(st), st.Lines
	if cut {
		st.mark = before
	}
	if st.Broken, st.Cut = true, cut; cut {
		s.remember(st.place)
	}
	s.group.Append(engine.Emission{
		ID: id, Position: s.position(st),
		Payload: append([]byte{}, line.Text[:min(len(line.Text), lines.LongLineBytes)]...),
		Fault: &runtime.Failure{
			Kind: runtime.KindInput, Deterministic: true, Cause: cause,
			Message: fmt.Sprintf("%s line %d: the gzip stream is broken: %v", st.name(), number, cause),
			Hint:    hint,
		},
	})
}

// identifyLine gives a file its Tag with the first line that it emits.
func (s *Source) identifyLine(st *stream) {
	if st.Tag == 0 {
		st.Tag = st.LastSum | 1
		s.ledger.describe(st.number, st.place)
	}
}

// id makes a line's message ID: readable, and the same whenever the line is read again.
func (s *Source) id(st *stream) string {
	b := make([]byte, 0, 64)
	b = append(b, st.name()...)
	if st.FromEnd {
		b = strconv.AppendInt(append(b, '@'), st.Offset, 10)
	} else {
		b = strconv.AppendInt(append(b, ':'), st.Lines, 10)
	}
	return string(strconv.AppendUint(append(b, '~'), uint64(st.Tag), 36))
}

func (s *Source) position(st *stream) runtime.Position {
	s.count++
	return position{emission: s.count, file: st.number, mark: st.mark}.encode()
}

// finish emits a last line that has no ending and leaves the file. gone says that no later
// run can find it.
func (s *Source) finish(st *stream, gone bool) {
	if !st.Broken {
		if line, ok := st.rest(); ok {
			s.add(st, line)
		}
	}
	if st.skipped > 0 {
		s.log.Info("empty lines were skipped", "path", st.Path, "lines", st.skipped)
	}
	s.ledger.leave(s.count, st.number, st.mark, gone)
}
