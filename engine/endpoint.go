package engine

import (
	"context"
	"io"
	"log/slog"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
)

// Emission is one message as a source hands it over. The engine owns its bytes from then on.
type Emission struct {
	// ID is kept where the source has one; "" lets admission make one.
	ID      string
	Key     []byte
	Payload []byte
	// Meta is what the source tells of the message; reserved names in it are dropped.
	Meta runtime.Meta
	// Stamps are entries of reserved names that the source vouches for, such as where a record
	// stood; guests read them and cannot change them.
	Stamps runtime.Meta
	// Position is the source's place after this emission: what Commit is told once this
	// emission and all before it are committed.
	Position runtime.Position
	// Fault is set where the source could read the message's bytes but not hand it on as
	// one (an over-long line, a broken gzip member): it becomes a dead letter of class decode
	// with Payload as far as it was read, and is committed like any other message.
	Fault *runtime.Failure
}

// Emit hands a group of messages over and returns when the whole group is durable, in
// order. nil: accepted. An error that is ctx's: the engine is shutting down. Any other:
// refused, and it may be emitted again. A group may be of any size; the engine cuts it to its own
// bounds, and an error is that of a part: parts before it are in and come twice if they are
// emitted again, it and what follows are neither durable nor visible. Where the store failed
// nobody can know: the part may be there after a restart.
type Emit func(ctx context.Context, group []Emission) error

// SourceEnv is what a source may use.
type SourceEnv struct {
	Node   string
	Config pipeline.Config
	Log    *slog.Logger
	// State is what the last Commit returned in an earlier run; nil on the first.
	State []byte
	Stdin io.Reader
}

// Source emits messages. Run is called once, on a goroutine of the engine.
type Source interface {
	// Run emits until the source is exhausted (nil) or ctx ends (ctx's error). Any other
	// error stops the engine. It may hold its own locks across emit.
	Run(ctx context.Context, emit Emit) error
	// Commit tells that every emission up to and including the one with this Position is
	// committed. It returns the state to keep for the next start. It is called from one
	// goroutine, with ever later positions (some are skipped), also after Run returned.
	Commit(ctx context.Context, through runtime.Position) (state []byte, err error)
	// Close releases the source. It is called once, after Run returned and the last Commit.
	Close() error
}

// Starter is implemented by a source whose beginning depends on when it begins, such as the end of what is
// there. Start is called once, before Run. What it returns is kept as State ahead of the first emission, so that the run
// after one that ended before its first Commit goes on from there; nil keeps nothing.
type Starter interface {
	Start(ctx context.Context) (state []byte, err error)
}

// Sizer is implemented by a source that knows how much there is to read: the progress bar
// asks for it. Both are in bytes; read only grows. Safe for concurrent use.
type Sizer interface {
	Progress() (read, total int64)
}

// Puller is a source that is asked instead of running by itself. A source that
// implements it has its Run ignored. io.EOF says that it is exhausted.
type Puller interface {
	Pull(ctx context.Context, most int) ([]Emission, error)
}

// SinkEnv is what a sink may use.
type SinkEnv struct {
	Node   string
	Config pipeline.Config
	Log    *slog.Logger
	// State is what SaveState kept last in an earlier run; nil on the first.
	State []byte
	// SaveState keeps a few bytes for the next start. It does not wait for them to be
	// durable: a crash may bring back an earlier state.
	SaveState func(state []byte)
	Stdout    io.Writer
}

// Record is one encoded message on its way out.
type Record struct {
	Message  runtime.Message
	Bytes    []byte // as the encoder made them
	OrderKey string // "" where the sink has no order_key
}

// Sink writes batches. Its methods are called from one goroutine.
type Sink interface {
	// Write makes the whole batch durable in order, or returns an error and may be called
	// with the same batch again: duplicates are possible, loss is not. It keeps no record
	// after it returned. ctx bounds one attempt.
	Write(ctx context.Context, batch []Record) error
	// Close flushes and releases. It is called once.
	Close() error
}

// Codec turns bytes from outside into a payload and back. It is safe for concurrent use.
type Codec interface {
	// Decode checks and normalises raw bytes; the payload may share memory with raw.
	// A fault in the bytes is an error with
	// the offset at which it was found (class decode).
	Decode(raw []byte) (payload []byte, err error)
	// Encode makes the bytes that a sink writes, without a record separator. An error is
	// a fault of the message (class encode).
	Encode(m runtime.Message) ([]byte, error)
}

// Endpoints is what a Plan's plugin names mean. The CLI fills it from package endpoint.
type Endpoints struct {
	Sources map[string]func(SourceEnv) (Source, error)
	Sinks   map[string]func(SinkEnv) (Sink, error)
	Codecs  map[string]Codec
}
