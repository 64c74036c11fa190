package scaffold

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/guests"
)

//go:embed templates sdk
var embedded embed.FS

// Kind is what is made.
type Kind string

const (
	// Pipeline is a document with a source, a transform and a sink.
	Pipeline Kind = "pipeline"
	// Transform is a transform by itself, with a small pipeline to test it.
	Transform Kind = "transform"
	// Stage is a causal stage with a fold.
	Stage Kind = "stage"
)

// Request says what to make.
type Request struct {
	Kind     Kind
	Name     string // see CheckName
	Language Language
}

// Scaffold is what was made.
type Scaffold struct {
	Files []File
	Dir   string // into which the files belong: the name
	Node  string // the transform's name
	// Setup and Build are the commands, in Dir, that fetch the compiler and make the module; ""
	// where there is nothing to do.
	Setup, Build string
	Needs        string // what the build needs, in a sentence
	// Plugin is the plugin key of the transform in a document beside Dir, on one line.
	Plugin string
	// Document is the file name in Dir, Try what `leat try` wants behind it.
	Document, Try string
}

// File is one file, with its path relative to Scaffold.Dir, by slashes.
type File struct {
	Path string
	Text []byte
}

var namePattern = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9._-]{0,63}$`)

// plain are words that YAML, a language or a data dir takes for something else than a name, and the source and the sink
// that a transform is made between.
var plain = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n", "leat", "main", "test", "log", "in", "out"}

// CheckName says what is wrong with a name, or "": it becomes a directory, a document, a node, a crate.
func CheckName(name string) string {
	switch {
	case !namePattern.MatchString(name):
		return "a name starts with a letter and goes on with at most 63 letters, digits, `.`, `_` and `-`"
	case slices.Contains(plain, strings.ToLower(name)):
		return "this word means something else to YAML, a compiler or leat"
	case strings.HasSuffix(strings.ToLower(name), ".test"):
		return "NAME.test.yaml is a suite of tests: a name does not end in .test"
	default:
		return document.CheckName(name)
	}
}

// data is what templates may name.
type data struct {
	Name, Node, Code, CodeDir             string
	Title, Plugin, Filtered               string
	Build, Needs, Module, Sources, Source string
	Crate, Library                        string
	PipelineFuel, TransformFuel           string
	StageFuel                             string
}

// pipelineNode is the transform of a new pipeline.
const pipelineNode = "total"

// New makes the files. REQUIRES: CheckName has nothing against the name.
func New(r Request) (Scaffold, error) {
	d := dataOf(r)
	m := maker{request: r, data: d}
	document, try, files := "pipeline.yaml", "--message sample.json", r.Language.files
	if r.Kind == Stage {
		document, try = "stage.yaml", "--topic orders --key o-1 --message sample.json"
		files = slices.Concat(files, r.Language.stage)
	}
	m.add(d.Name+".yaml", document)
	m.add(d.Name+".test.yaml", "suite.yaml")
	m.add("sample.json", "sample.json")
	if r.Kind == Pipeline {
		m.add("orders.jsonl", "orders.jsonl")
	}
	m.add("README.md", "README.md")
	m.add(".gitignore", "shared/gitignore")
	for _, e := range files {
		m.add(m.render("path", e.path), m.render("path", e.from))
	}
	if d.Build != "" {
		m.add("Makefile", "shared/Makefile")
	}
	return Scaffold{
		Files: m.files, Dir: d.Name, Node: d.Node, Setup: r.Language.setup, Build: d.Build, Needs: d.Needs, Document: d.Name + ".yaml", Try: try,
		Plugin: pluginLine(r.Language, d.Name+"/"+d.Source, d.Name+"/"+d.Module),
	}, m.err
}

func dataOf(r Request) data {
	l := r.Language
	d := data{
		Name: r.Name, Node: r.Name, Code: "code", CodeDir: "src", Title: l.Title,
		PipelineFuel: l.pipelineFuel, TransformFuel: l.transformFuel,
		StageFuel: l.stageFuel, Filtered: "{no_output: 1}",
	}
	if r.Kind == Stage {
		d.Code = "fold"
	}
	if r.Kind == Pipeline {
		d.Node, d.Code, d.CodeDir = pipelineNode, "total", pipelineNode
	}
	if l.Flavor == "script" {
		d.Filtered = "{null: 1}"
	}
	d.Crate = strings.ReplaceAll(d.Node, ".", "-")
	d.Library = strings.ReplaceAll(d.Crate, "-", "_")
	d.Module = d.Node + ".wasm"
	m := maker{data: d}
	d.Source = m.render("path", l.files[0].path)
	d.Build, d.Needs, d.Sources = m.render("build", l.build), m.render("needs", l.needs), m.render("sources", l.sources)
	d.Plugin = pluginLine(l, d.Source, d.Module)
	return d
}

// pluginLine is the plugin key of a transform.
func pluginLine(l Language, source, module string) string {
	if l.Flavor == "script" {
		return "script: {file: " + source + "}"
	}
	return "wasm: {module: " + module + "}"
}

// maker renders files and keeps the first error.
type maker struct {
	request Request
	data    data
	files   []File
	err     error
}

// add makes one file of a template of this kind, of a shared one, or of the SDK as it is.
func (m *maker) add(to, from string) {
	if m.err != nil {
		return
	}
	var text []byte
	switch where, name, _ := strings.Cut(from, ":"); where {
	case "sdk":
		text, m.err = guests.SDK.ReadFile(name)
	case "go":
		text, m.err = embedded.ReadFile("sdk/go/" + name)
	default:
		text = m.template(from)
	}
	m.files = append(m.files, File{Path: to, Text: text})
}

// template fills in a template of this kind or a shared one.
func (m *maker) template(from string) (text []byte) {
	if !strings.Contains(from, "/") {
		from = string(m.request.Kind) + "/" + from
	}
	if example, ok := examples[from]; ok {
		text, m.err = guests.Examples.ReadFile(example)
		return []byte(asOwn.Replace(string(text)))
	}
	text, m.err = fs.ReadFile(embedded, path.Join("templates", from))
	return []byte(m.render(from, string(text)))
}

// examples are the worked examples that stand for a template. That of Go is in a module of its own,
// which nothing outside can embed.
var examples = map[string]string{
	"stage/fold.c":     "c/fulfil/fulfil.c",
	"stage/lib.rs":     "rust/fulfil/fulfil.rs",
	"stage/fold.as.ts": "assemblyscript/fulfil/fulfil.ts",
}

// asOwn takes out of an example what is true in its folder only.
var asOwn = strings.NewReplacer(`"../leat.h`, `"leat.h`, `"../leat`, `"./leat`, " It means the same as guests/go/fulfil.", "")

// render fills a template in.
func (m *maker) render(name, text string) string {
	t, err := template.New(name).Option("missingkey=error").Parse(text)
	var out strings.Builder
	if err == nil {
		err = t.Execute(&out, m.data)
	}
	if err != nil && m.err == nil {
		m.err = fmt.Errorf("scaffold: template %s: %w", name, err)
	}
	return out.String()
}
