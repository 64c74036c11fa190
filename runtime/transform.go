package runtime

import "context"

// Flavor is a way to run guest code: script or wasm. It is safe for concurrent use
// and holds what its modules share (caches).
type Flavor interface {
	// Name is the plugin key in a document and the label on metrics.
	Name() string
	// Defaults is the budget of a node that says nothing.
	Defaults() Budget
	// Compile loads code once for all workers. The guest's own code does not run on a
	// message here. A fault in the code is a *Failure of KindCompile with position and
	// hint; any other error is the world's. ctx bounds the work.
	Compile(ctx context.Context, code Code, settings Settings) (Module, error)
}

// Code is what a document names.
type Code struct {
	// Name is what positions in failures are told against: the path as the document
	// wrote it, or "document.yaml" for inline source.
	Name string
	// Path is the absolute path of the file, "" for inline source. Imports and
	// node_modules are looked up from its directory, or from Dir.
	Path string
	// Dir is the absolute directory of the document.
	Dir string
	// Bytes is the source text or the module. The flavor does not keep or change it.
	Bytes []byte
	// Line is the document's line on which inline source starts, 0 for a file.
	Line int
	// Function overrides the entry point's name; "" is the flavor's default.
	Function string
	// Entry says what the entry point is: a transform, or the function of a causal stage. It
	// is part of the Module's Digest.
	Entry Entry
}

// State says what an instance keeps from one message to the next (decisions.md, Guests).
type State string

const (
	// StateReuse keeps the instance: module variables and linear memory live per worker.
	StateReuse State = "reuse"
	// StateFresh gives every message the instance's initial state.
	StateFresh State = "fresh"
)

// Settings is what a node says about its guest. All defaults are filled in.
type Settings struct {
	Budget   Budget
	State    State
	Integers string   // script: error, string or lossy (what assigning an unsafe integer does)
	Allow    []string // script: bigint, typed_arrays
	ABI      string   // wasm: reactor or command
	// Config is one JSON object {"constants": {...}, "parameters": {...}} offered to the guest.
	Config []byte
}

// Module is compiled code: immutable, shared by workers, safe for concurrent use.
type Module interface {
	// Digest identifies the code and everything that changes its results (rewriter
	// version, settings), as "sha256:" and lower-case hex.
	Digest() string
	// Warnings are what verify tells the author, in source order; none fails a load.
	Warnings() []Warning
	// Instantiate makes one instance. A guest whose start fails is a *Failure.
	Instantiate(ctx context.Context, host Host) (Transform, error)
	// Close releases the module. REQUIRES: every instance is closed.
	Close() error
}

// Warning is a remark on code that loads.
type Warning struct {
	Code    string // stable, such as "module-state"
	Message string
	Hint    string
	File    string
	Line    int
	Column  int
}

// Host is what an instance may use of its surroundings. The zero value offers nothing.
type Host struct {
	// Log receives what the guest logs, already capped by Budget.Log; nil drops it.
	// level is "debug", "info", "warn" or "error". It is called on the Apply's goroutine.
	Log func(level, text string)
}

// Transform is one instance of a Module. It belongs to one goroutine at a time.
type Transform interface {
	// Apply runs the guest on one message. It returns the outputs (none: filtered,
	// Result.Null says which way), or an error that is
	//   - a *Failure: the guest's fault;
	//   - ctx's error: the engine is shutting down, the message was not processed;
	//   - anything else: the world's fault, the node cannot go on.
	// Result.Usage is set in every case. The outputs do not alias in's memory in a
	// way that a later Apply could write to; they may share in.Payload where a guest
	// passed it through.
	Apply(ctx context.Context, in Message) (Result, error)
	// Spent says why the instance must not be given another message, or "" when it
	// may: after a trap, an exhausted budget, or past its high-water mark of memory.
	Spent() Recycle
	// Close releases the instance. It is idempotent.
	Close() error
}

// Result is what one Apply returned.
type Result struct {
	Out   []Message
	Null  bool // no outputs because the guest said null, rather than none at all
	Usage Usage
}

// Recycle is the reason for which an instance is replaced; a label on metrics.
type Recycle string

const (
	RecycleNone    Recycle = ""
	RecycleFailure Recycle = "failure" // an Apply failed in a way that leaves guest state in doubt
	RecycleMemory  Recycle = "memory"  // the high-water mark of memory was passed
)
