package pipeline

import (
	"context"
	"time"

	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/runtime"
)

// Stage is a verified stage document: every default is written in, its guest compiled. It is
// immutable and safe to share.
type Stage struct {
	// File is the document's path as given, Dir its absolute directory.
	File, Dir string
	Name      string
	Constants map[string]any
	Inputs    []StageInput  // in the order of the document, at least one
	Outputs   []StageOutput // in the order of the document
	// Entry is EntryFold or EntryHandle.
	Entry    runtime.Entry
	Flavor   string
	Code     runtime.Code
	Settings runtime.Settings
	// Module is the compiled guest. The Stage owns it (Close).
	Module           runtime.Module
	OnFailure        OnFailure
	HoldWarningAfter time.Duration
	TruncateEvery    time.Duration
	Mode             Mode
	plan             *Plan // holds the module
}

// Close releases the compiled module. REQUIRES: every instance of it is closed. It is
// idempotent.
func (s *Stage) Close() error { return s.plan.Close() }

// StageInput is a topic that a stage reads.
type StageInput struct {
	Topic   string
	Decoder string // a codec's name
	Start   Start
	Line    int
}

// StageOutput is a topic that a stage may emit to.
type StageOutput struct {
	Topic   string
	Encoder string
	Line    int
}

// Start says where an input begins of which a stage knows nothing.
type Start string

// The starts.
const (
	StartEarliest Start = "earliest"
	StartLatest   Start = "latest"
)

// OnFailure says what becomes of a record on which the guest fails in the same way each time.
// Any other failure blocks the channel and is tried again.
type OnFailure string

// The ways.
const (
	FailureBlock      OnFailure = "block"
	FailureDeadLetter OnFailure = "dead_letter"
)

// LoadStage reads and verifies the stage document in file, like Load a pipeline's.
func LoadStage(ctx context.Context, file string, opt LoadOptions) (*Stage, []Diagnostic) {
	text, err := ReadFile(file, document.MaxBytes)
	if err != nil {
		return nil, []Diagnostic{unreadable(file, err)}
	}
	return ParseStage(ctx, file, text, opt)
}

// ParseStage verifies text as the stage document that stands in file, like Parse a pipeline's.
func ParseStage(ctx context.Context, file string, text []byte, opt LoadOptions) (*Stage, []Diagnostic) {
	report := document.NewReport(file)
	plan := &Plan{File: file}
	l := &loader{ctx: ctx, opt: opt, report: report, plan: plan}
	s := &Stage{File: file, plan: plan}
	l.loadStage(text, s)
	if opt.Strict {
		report.Promote()
	}
	if report.Failed() {
		_ = plan.Close() // the diagnostics say why; a module that does not close adds nothing
		return nil, report.Sorted()
	}
	return s, report.Sorted()
}

// StageName returns the name of the stage document in file, which names its state, as Name does a
// pipeline's.
func StageName(file string, opt LoadOptions) (string, []Diagnostic) {
	text, err := ReadFile(file, document.MaxBytes)
	if err != nil {
		return "", []Diagnostic{unreadable(file, err)}
	}
	l := &loader{opt: opt, report: document.NewReport(file), plan: &Plan{File: file}}
	name := ""
	if top := l.open(text, KindStage, nameShape(KindStage)); top != nil {
		name = l.name(top)
	}
	if l.report.Failed() {
		return "", l.report.Sorted()
	}
	return name, nil
}

func (l *loader) loadStage(text []byte, s *Stage) {
	top := l.open(text, KindStage, stageShape(l.opt.Catalog))
	if s.Dir = l.plan.Dir; top == nil {
		return
	}
	l.reader.Vars.Env = l.opt.Env
	s.Constants = top.Values("constants")
	l.plan.Constants, l.reader.Vars.Constants = s.Constants, s.Constants
	top.ReadAll()
	l.buildStage(top, s)
}

func (l *loader) buildStage(top *document.Object, s *Stage) {
	s.Name = top.Object("metadata").String("name")
	for _, e := range top.Entries("inputs") {
		s.Inputs = append(s.Inputs, StageInput{e.Name, e.Object.String("decoder"), Start(e.Object.String("start")), e.At.Line})
	}
	for _, e := range top.Entries("outputs") {
		s.Outputs = append(s.Outputs, StageOutput{e.Name, e.Object.String("encoder"), e.At.Line})
	}
	if top.Empty("inputs") {
		l.report.Errorf(top.KeyAt("inputs"), "no-nodes", "name a topic: inputs: {orders: {}}", "inputs holds no topic")
	}
	s.OnFailure = OnFailure(top.String("on_failure"))
	s.HoldWarningAfter, s.TruncateEvery = top.Duration("hold_warning_after"), top.Duration("truncate_every")
	s.Mode = Mode(top.Object("run").String("mode"))
	l.stageGuest(top, s)
}

// stageGuest compiles the fold or the handler, of which there is exactly one.
func (l *loader) stageGuest(top *document.Object, s *Stage) {
	switch fold, handle := top.Written("fold"), top.Written("handle"); {
	case fold && handle:
		l.report.Errorf(top.KeyAt("handle"), "many-plugins", "keep one of fold and handle, or make two stages", "the stage has both a fold and a handler")
		return
	case fold:
		s.Entry = runtime.EntryFold
	case handle:
		s.Entry = runtime.EntryHandle
	default:
		l.report.Errorf(top.At, "missing-key", "write fold: {script: {file: fold.js}}, or handle: where there is no state", "the stage has no guest")
		return
	}
	who := string(s.Entry)
	o := top.Object(who)
	var config *document.Object
	if s.Flavor, config = o.Choice(); config == nil {
		return // reported when the mapping was read
	}
	if s.Flavor != flavorScript { // of what a script has no use for, a stage has no keys
		l.foreign(o, s.Flavor)
	}
	if s.OnFailure == FailureDeadLetter && o.String("state") == string(runtime.StateReuse) {
		l.report.Errorf(o.KeyAt("state"), "not-fresh", "write state: fresh, or on_failure: block",
			"with state: reuse a failure depends on what the instance did before, so that no failure is certain to come again")
	}
	g := l.guest(o, who, s.Flavor, config, s.Entry)
	s.Code, s.Settings, s.Module = g.code, g.settings, g.module
}
