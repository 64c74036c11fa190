package document

import (
	"cmp"
	"fmt"
	"slices"
)

// maxDiagnostics bounds what is said about one document.
const maxDiagnostics = 500

// Severities of a Diagnostic.
const (
	SeverityError   = "error"
	SeverityWarning = "warning"
)

// Diagnostic is one thing that is wrong, or worth a remark, with a document. Its JSON form
// is the one of `leat verify --json`.
type Diagnostic struct {
	Code     string `json:"code"` // stable; the table in engine/pipeline/README.md lists all
	Severity string `json:"severity"`
	File     string `json:"file"`
	Line     int    `json:"line"`   // from 1; 0 where the whole file is meant
	Column   int    `json:"column"` // from 1, in characters; 0 where the line is meant
	Message  string `json:"message"`
	Hint     string `json:"hint"` // what to do; may be empty
}

// String returns file:line:column: severity: message (code): hint, on one line.
func (d Diagnostic) String() string {
	place := d.File
	if d.Line > 0 {
		place = fmt.Sprintf("%s:%d", place, d.Line)
	}
	if d.Line > 0 && d.Column > 0 {
		place = fmt.Sprintf("%s:%d", place, d.Column)
	}
	text := fmt.Sprintf("%s: %s: %s (%s)", place, d.Severity, d.Message, d.Code)
	if d.Hint != "" {
		text += ": " + d.Hint
	}
	return text
}

// Report collects the diagnostics of one document. The zero value is not usable: NewReport.
type Report struct {
	file string
	list []Diagnostic
}

// NewReport returns an empty report on the document that is told of as file.
func NewReport(file string) *Report { return &Report{file: file} }

// Errorf adds an error at a place of the document.
func (r *Report) Errorf(at Place, code, hint, format string, args ...any) {
	r.Add(Diagnostic{
		Code: code, Severity: SeverityError, Line: at.Line, Column: at.Column,
		Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// Warnf adds a warning at a place of the document.
func (r *Report) Warnf(at Place, code, hint, format string, args ...any) {
	r.Add(Diagnostic{
		Code: code, Severity: SeverityWarning, Line: at.Line, Column: at.Column,
		Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// Add adds a diagnostic; an empty File means the document. What is there already, word
// for word and at the same place, is not added twice: an aliased node is read as often as it
// is used.
func (r *Report) Add(d Diagnostic) {
	if d.File == "" {
		d.File = r.file
	}
	if len(r.list) > maxDiagnostics || slices.Contains(r.list, d) {
		return
	}
	if len(r.list) == maxDiagnostics {
		d = Diagnostic{Code: "too-many", Severity: SeverityError, File: r.file, Message: fmt.Sprintf("there are more than %d diagnostics", maxDiagnostics), Hint: "mend these first"}
	}
	r.list = append(r.list, d)
}

// Failed says whether there is an error among the diagnostics.
func (r *Report) Failed() bool {
	return slices.ContainsFunc(r.list, func(d Diagnostic) bool { return d.Severity == SeverityError })
}

// Promote turns every warning into an error (`--strict`).
func (r *Report) Promote() {
	for i := range r.list {
		r.list[i].Severity = SeverityError
	}
}

// Sorted returns all diagnostics: those of the document first, by position, then those of
// other files by name and position.
func (r *Report) Sorted() []Diagnostic {
	list := slices.Clone(r.list)
	slices.SortStableFunc(list, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(r.rank(a), r.rank(b)), cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message),
		)
	})
	return list
}

func (r *Report) rank(d Diagnostic) int {
	if d.File == r.file {
		return 0
	}
	return 1
}
