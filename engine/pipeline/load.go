package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/runtime"
)

// Diagnostic is one thing that is wrong with a document.
type Diagnostic = document.Diagnostic

// Severities of a Diagnostic.
const (
	SeverityError   = document.SeverityError
	SeverityWarning = document.SeverityWarning
)

// LoadOptions is what a document is loaded against.
type LoadOptions struct {
	Catalog Catalog
	// Env looks up an environment variable for ${NAME}; nil has none.
	Env func(string) (string, bool)
	// Parameters are the values that the caller gives for the document's parameters.
	Parameters map[string]string
	// Strict turns warnings into errors.
	Strict bool
	// Fresh gives every guest state: fresh, whatever the document says: what `leat try` and
	// `leat test` do, so that fuel is a function of code and message.
	Fresh bool
	// Budget changes what a transform's guest may spend from what the document says, such as
	// to measure what it would need; nil keeps it.
	Budget func(node string, written runtime.Budget) runtime.Budget
}

// Load reads and verifies the pipeline document in file. It returns every diagnostic there
// is, sorted by position; the Plan is nil if one of them is an error. The caller closes
// the Plan.
func Load(ctx context.Context, file string, opt LoadOptions) (*Plan, []Diagnostic) {
	text, err := ReadFile(file, document.MaxBytes)
	if err != nil {
		return nil, []Diagnostic{unreadable(file, err)}
	}
	return Parse(ctx, file, text, opt)
}

func unreadable(file string, err error) Diagnostic {
	return Diagnostic{
		Code: "unreadable", Severity: SeverityError, File: file,
		Message: fmt.Sprintf("the document cannot be read: %v", err), Hint: "check the path and its permissions",
	}
}

// Parse verifies text as the pipeline document that stands in file: relative paths are
// looked up from file's directory. It is Load in all else.
func Parse(ctx context.Context, file string, text []byte, opt LoadOptions) (*Plan, []Diagnostic) {
	report := document.NewReport(file)
	l := &loader{ctx: ctx, opt: opt, report: report, plan: &Plan{File: file}}
	l.load(text)
	if opt.Strict {
		report.Promote()
	}
	if report.Failed() {
		_ = l.plan.Close() // the diagnostics say why; a module that does not close adds nothing
		return nil, report.Sorted()
	}
	return l.plan, report.Sorted()
}

// Kind returns the kind that a document says it is of, such as KindPipeline; "" where
// it says nothing or is no document. It reports nothing.
func Kind(text []byte) string {
	reader := document.NewReader(text, "", document.NewReport(""))
	if reader == nil {
		return ""
	}
	return reader.Peek("kind")
}

// loader turns one document into one Plan. Each step reads its part, reports what is wrong
// and leaves something usable for the next.
type loader struct {
	ctx    context.Context
	opt    LoadOptions
	report *document.Report
	reader *document.Reader
	plan   *Plan
	nodes  *nodes
	celenv *compiler
}

func (l *loader) load(text []byte) {
	top := l.open(text, KindPipeline, pipelineShape(l.opt.Catalog))
	if top == nil {
		return
	}
	l.variables(top)
	top.ReadAll()
	l.build(top)
}

// open parses the text and opens its outermost mapping; nil after reporting why not, or that
// it is of another kind than want.
func (l *loader) open(text []byte, want string, shape *document.Shape) *document.Object {
	dir, err := filepath.Abs(filepath.Dir(l.plan.File))
	if err != nil {
		l.report.Add(unreadable(l.plan.File, err))
		return nil
	}
	l.plan.Dir = dir
	if l.reader = document.NewReader(text, dir, l.report); l.reader == nil || l.ofAnotherKind(want) {
		return nil
	}
	return l.reader.Root(shape)
}

// ofAnotherKind reports a document of a kind that there is, and that is not the one wanted.
func (l *loader) ofAnotherKind(want string) bool {
	switch is := l.reader.Peek("kind"); {
	case is == want:
		return false
	case is == KindStage:
		l.wrongKind("a stage", "a stage is no pipeline: verify and run know both, this verb wants a pipeline")
	case is == KindPipeline:
		l.wrongKind("a pipeline", "verify and run know both, this verb wants a stage")
	case is == KindSuite:
		l.wrongKind("a suite of tests", "`leat test "+l.plan.File+"` runs it")
	default:
		return false
	}
	return true
}

func (l *loader) wrongKind(is, hint string) {
	l.report.Errorf(document.Place{Line: 1, Column: 1}, "wrong-kind", hint, "the document is %s", is)
}

// variables reads what ${...} and expressions refer to, before anything refers to it.
func (l *loader) variables(top *document.Object) {
	l.reader.Vars.Env = l.opt.Env
	l.plan.Constants = top.Values("constants")
	l.reader.Vars.Constants = l.plan.Constants
	l.plan.Parameters = l.parameters(top)
	l.reader.Vars.Parameters = l.plan.Parameters
	l.celenv = newCompiler(l.plan.Constants, l.plan.Parameters)
}

// parameters are the declared ones with the given values in place of their defaults.
func (l *loader) parameters(top *document.Object) map[string]any {
	declared := maps.Clone(top.Values("parameters"))
	at := top.KeyAt("parameters")
	for _, name := range slices.Sorted(maps.Keys(l.opt.Parameters)) {
		if _, ok := declared[name]; !ok {
			hint := document.DidYouMean(name, maps.Keys(declared))
			if len(declared) == 0 {
				hint = "the document declares no parameters: add `parameters: {" + name + ": null}`"
			}
			l.report.Errorf(document.Place{}, "unknown-parameter", hint, "the document has no parameter %q", name)
			continue
		}
		value, ok := parameterLike(declared[name], l.opt.Parameters[name])
		if !ok {
			l.report.Errorf(at, "bad-parameter", fmt.Sprintf("its default is %v: give a value of that type", declared[name]),
				"the parameter %s cannot be %q", name, l.opt.Parameters[name])
			continue
		}
		declared[name] = value
	}
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		if declared[name] == nil {
			l.report.Errorf(at, "missing-parameter", fmt.Sprintf("give it: --param %s=VALUE", name), "the parameter %s has no value", name)
			declared[name] = ""
		}
	}
	return declared
}

// KindOf is Kind of the document in file; "" where there is none to read. What can be read only once,
// such as a pipe, is left to who loads it.
func KindOf(file string) string {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	text, err := ReadFile(file, document.MaxBytes)
	if err != nil {
		return ""
	}
	return Kind(text)
}

// ReadFile reads a file of at most so many bytes, also one that does not say how many it has. The error
// is without the path.
func ReadFile(name string, most int64) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, withoutPath(err)
	case info.IsDir():
		return nil, errors.New("it is a directory")
	case info.Size() > most:
		return nil, fmt.Errorf("it has %d bytes, at most %d are read", info.Size(), most)
	}
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if int64(len(text)) > most {
		return nil, fmt.Errorf("it has more than %d bytes, which is all that is read", most)
	}
	return text, withoutPath(err)
}

// withoutPath drops the path from an error whose reader is told it already.
func withoutPath(err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
