package pipeline

import (
	"maps"

	"github.com/leat-run/leat/engine/pipeline/document"
)

// Name returns the name of the pipeline document in file, which names its store. Nothing
// else of the document is checked or compiled: a verb that looks at a store works while the
// author mends the code. "" comes with the diagnostics that say why there is no name.
func Name(file string, opt LoadOptions) (string, []Diagnostic) {
	text, err := ReadFile(file, document.MaxBytes)
	if err != nil {
		return "", []Diagnostic{unreadable(file, err)}
	}
	l := &loader{opt: opt, report: document.NewReport(file), plan: &Plan{File: file}}
	name := ""
	if top := l.open(text, KindPipeline, nameShape(KindPipeline)); top != nil {
		name = l.name(top)
	}
	if l.report.Failed() {
		return "", l.report.Sorted()
	}
	return name, nil
}

// nameShape is a document of which only the head and what a name may refer to is read.
func nameShape(kind string) *document.Shape {
	return &document.Shape{Noun: "the document", Open: true, Fields: append(header(kind),
		Field{Name: "constants", Type: document.Values}, Field{Name: "parameters", Type: document.Values})}
}

// name resolves metadata.name; parameters that it does not use need no value.
func (l *loader) name(top *document.Object) string {
	l.reader.Vars.Env = l.opt.Env
	l.reader.Vars.Constants = top.Values("constants")
	parameters := map[string]any{}
	maps.Copy(parameters, top.Values("parameters"))
	for name, value := range l.opt.Parameters {
		parameters[name] = value
	}
	l.reader.Vars.Parameters = parameters
	top.ReadAll()
	return top.Object("metadata").String("name")
}
