package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/leat-run/leat/engine/pipeline/document"
)

// NewTransform is a transform that is put into a document.
type NewTransform struct {
	Name string
	// After is the source or transform that it reads from; what read from that one reads from the
	// new transform.
	After string
	// Plugin is its plugin key on one line: "script: {file: a.ts}".
	Plugin string
}

// InsertTransform puts a transform into the document in file, whose text it returns; comments and
// layout stay. It changes no file. The diagnostics say why it could not: the document is not
// valid, has no node After, has one called Name, or is laid out in a way that cannot
// be edited. A module that is not built yet is none of these.
func InsertTransform(ctx context.Context, file string, text []byte, n NewTransform, opt LoadOptions) ([]byte, []Diagnostic) {
	plan, diagnostics := Parse(ctx, file, text, opt)
	if plan == nil {
		return nil, diagnostics
	}
	defer func() { _ = plan.Close() }() // it was loaded to look at it
	if d := n.check(plan); d != nil {
		return nil, []Diagnostic{*d}
	}
	out, err := n.edit(plan, text)
	if err != nil {
		return nil, []Diagnostic{n.byHand(file, err.Error())}
	}
	again, diagnostics := Parse(ctx, file, out, opt)
	if again != nil {
		return out, diagnosticsOfClose(again.Close(), file)
	}
	for _, d := range diagnostics {
		if d.Severity == SeverityError && d.Code != "no-file" {
			return nil, []Diagnostic{n.byHand(file, d.Message)}
		}
	}
	return out, nil
}

func diagnosticsOfClose(err error, file string) []Diagnostic {
	if err == nil {
		return nil
	}
	return []Diagnostic{{Code: "compile", Severity: SeverityWarning, File: file, Message: err.Error()}}
}

// check reports names that do not fit.
func (n NewTransform) check(plan *Plan) *Diagnostic {
	var upstream, all []string
	for _, s := range plan.Sources {
		upstream = append(upstream, s.Name)
	}
	for _, t := range plan.Transforms {
		upstream = append(upstream, t.Name)
	}
	all = append(all, upstream...)
	for _, s := range plan.Sinks {
		all = append(all, s.Name)
	}
	switch {
	case slices.Contains(all, n.Name):
		return &Diagnostic{Code: "duplicate-name", Severity: SeverityError, File: plan.File, Message: fmt.Sprintf("there is a node %q already", n.Name), Hint: "give another name"}
	case !slices.Contains(upstream, n.After):
		return &Diagnostic{Code: "unknown-node", Severity: SeverityError, File: plan.File, Message: fmt.Sprintf("there is no source or transform %q", n.After), Hint: document.DidYouMean(n.After, slices.Values(upstream))}
	default:
		return nil
	}
}

// byHand says what to write where the document cannot be edited.
func (n NewTransform) byHand(file, why string) Diagnostic {
	return Diagnostic{
		Code: "layout", Severity: SeverityError, File: file, Message: "the document cannot be edited: " + why,
		Hint: fmt.Sprintf("add under transforms: %s: {from: [%s], %s}, and let what reads from %s read from %s", n.Name, n.After, n.Plugin, n.After, n.Name),
	}
}

// edit renames the readers' upstream, then adds the node.
func (n NewTransform) edit(plan *Plan, text []byte) ([]byte, error) {
	var readers []document.Word
	for _, w := range document.Words(text) {
		if w.Value == n.After && isUpstream(w.Path) {
			readers = append(readers, w)
		}
	}
	text, err := document.Replace(text, readers, n.Name)
	if err != nil {
		return nil, err
	}
	in := document.Insertion{
		Section: "transforms", Before: "sinks",
		Block: []string{n.Name + ":", "  from: [" + n.After + "]", "  " + n.Plugin},
		Flow:  fmt.Sprintf("%s: {from: [%s], %s}", n.Name, n.After, n.Plugin),
	}
	if slices.ContainsFunc(plan.Transforms, func(t *Transform) bool { return t.Name == n.After }) {
		in.After = n.After
	}
	return document.Insert(text, in)
}

// isUpstream says whether a path leads to a node's name in a `from` list: bare, or as the key of
// its options.
func isUpstream(path []string) bool {
	shape := strings.Join(path[min(2, len(path)):], "/")
	return len(path) >= 4 && (path[0] == "transforms" || path[0] == "sinks") &&
		(shape == "from/-" || len(path) == 5 && path[2] == "from" && path[3] == "-")
}
