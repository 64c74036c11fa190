package suite

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/runtime"
)

// Extension is how a suite's file name ends.
const Extension = ".test.yaml"

// Suite is a verified suite. It is immutable.
type Suite struct {
	// File is the suite's path as given, Dir its absolute directory.
	File, Dir  string
	Name       string
	Pipeline   string // path of the pipeline's document, or of the stage's
	OfStage    bool   // the document is a stage's
	Partitions int    // of each topic of a stage
	Fresh      bool   // state: fresh
	Now        time.Time
	Timeout    time.Duration // of one case
	Parameters map[string]string
	Env        map[string]string
	Cases      []*Case

	report *document.Report
}

// Case is one test.
type Case struct {
	Name     string
	Doc      string
	Line     int
	inject   []injection
	expect   expectation
	refuse   map[string]string // error texts of sinks that refuse every write
	refuseAt document.Place
	arrive   []arrival // of a stage
	outcome  stageExpectation
}

// injection is what one entry of `inject` says; it may stand for many messages.
type injection struct {
	place     document.Place
	node      reference
	overrides bool   // the entry names the node itself
	sample    string // one of samples
	bytes     []byte // of payload, raw, base64
	path      string // of file, lines, letter
	pathAt    document.Place
	id        string
	key       []byte
	meta      runtime.Meta
	codec     string
	ingested  time.Time
}

// reference is the name of a node with the place that names it.
type reference struct {
	name string
	at   document.Place
}

// expectation is what must come of a case.
type expectation struct {
	captures []capture
	letters  []letter
	filtered *filtered
	dropped  *int64
	fuel     []fuelBound
}

type filtered struct{ null, noOutput, noMatch int64 }

type fuelBound struct {
	node reference
	most int64
}

// capture is what must reach a sink or leave a transform; what is nil is not checked.
type capture struct {
	under, metaName                    string // as the document calls them
	node                               reference
	exact, subset, text, keys, meta    []json.RawMessage
	hasExact, hasSubset, hasText       bool
	hasKeys, hasMeta, hasCount, isSnap bool
	count                              int64
}

// letter is a pattern of a dead letter; what is empty is not compared.
type letter struct{ node, class, kind, reason, message string }

// Load reads the suite in file; env looks up ${NAME}, nil has none. It returns every diagnostic
// there is; the Suite is nil if one of them is an error.
func Load(file string, env func(string) (string, bool)) (*Suite, []document.Diagnostic) {
	report := document.NewReport(file)
	text, err := pipeline.ReadFile(file, document.MaxBytes)
	if err != nil {
		report.Errorf(document.Place{}, "unreadable", "check the path and its permissions", "the suite cannot be read: %v", err)
		return nil, report.Sorted()
	}
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		report.Errorf(document.Place{}, "unreadable", "", "the suite's directory: %v", err)
		return nil, report.Sorted()
	}
	return parse(file, dir, text, env, report)
}

func parse(file, dir string, text []byte, env func(string) (string, bool), report *document.Report) (*Suite, []document.Diagnostic) {
	reader := document.NewReader(text, dir, report)
	if reader == nil {
		return nil, report.Sorted()
	}
	reader.Vars.Env = env
	s := &Suite{File: file, Dir: dir, report: report, OfStage: ofStage(reader, file)}
	shape := suiteShape()
	if s.OfStage {
		shape = stageSuiteShape()
	}
	top := reader.Root(shape)
	top.ReadAll()
	s.read(top)
	if report.Failed() {
		return nil, report.Sorted()
	}
	return s, report.Sorted()
}

// read fills the suite from its document.
func (s *Suite) read(top *document.Object) {
	s.Name = top.Object("metadata").String("name")
	about := "pipeline"
	if s.OfStage {
		about, s.Fresh, s.Partitions = "stage", true, int(top.Int("partitions"))
	} else {
		s.Fresh = top.String("state") == string(runtime.StateFresh)
		s.Parameters = texts(top.Values("parameters"))
	}
	s.Now = s.time(top, "now")
	s.Timeout = top.Duration("timeout")
	s.Env = texts(top.Values("env"))
	if s.Pipeline = top.String(about); s.Pipeline == "" {
		s.Pipeline = s.beside(top)
	} else if rel, err := filepath.Rel(s.Dir, s.Pipeline); err == nil {
		s.Pipeline = filepath.Join(filepath.Dir(s.File), rel)
	}
	if top.Empty("cases") {
		s.report.Errorf(top.KeyAt("cases"), "no-nodes", "write cases: with a name per case", "the suite holds no case")
	}
	for _, e := range top.Entries("cases") {
		if s.OfStage {
			s.Cases = append(s.Cases, s.stageCase(e))
		} else {
			s.Cases = append(s.Cases, s.testCase(e))
		}
	}
	s.checkSnapshots()
}

// beside is the pipeline that a suite is about by its name.
func (s *Suite) beside(top *document.Object) string {
	base, ok := strings.CutSuffix(s.File, Extension)
	if !ok {
		s.report.Errorf(top.At, "missing-key", "write pipeline: orders.yaml, or name the suite orders"+Extension, "the suite does not say which pipeline it tests")
		return ""
	}
	return base + ".yaml"
}

// texts are free values as the command line would give them.
func texts(values map[string]any) map[string]string {
	out := make(map[string]string, len(values))
	for name, value := range values {
		text, isText := value.(string)
		if !isText {
			encoded, err := json.Marshal(value)
			if err != nil {
				panic("suite: the reader makes JSON values only: " + err.Error())
			}
			text = string(encoded)
		}
		out[name] = text
	}
	return out
}

// time reads a time of RFC 3339; the zero time where the key says nothing.
func (s *Suite) time(o *document.Object, key string) time.Time {
	text := o.String(key)
	if text == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		s.report.Errorf(o.ValueAt(key), "bad-value", "write it as "+defaultNow, "%s: %q is no time", key, text)
	}
	return t.UTC()
}

func (s *Suite) testCase(e document.Entry) *Case {
	c := &Case{Name: e.Name, Doc: e.Object.String("doc"), Line: e.At.Line}
	at := reference{e.Object.String("at"), e.Object.ValueAt("at")}
	if e.Object.Empty("inject") {
		s.report.Errorf(e.Object.KeyAt("inject"), "missing-key", "write inject: [{payload: {…}}]", "the case %s injects nothing", e.Name)
	}
	for _, entry := range e.Object.Entries("inject") {
		c.inject = append(c.inject, s.injection(entry, at))
	}
	c.expect = s.expectation(e.Object.Object("expect"))
	c.refuse, c.refuseAt = texts(e.Object.Values("refuse")), e.Object.ValueAt("refuse")
	return c
}

// metaOf reads annotations, which are texts.
func (s *Suite) metaOf(o *document.Object) runtime.Meta {
	values := o.Values("meta")
	if len(values) == 0 {
		return nil
	}
	meta := runtime.Meta{}
	for name, value := range values {
		text, ok := value.(string)
		if !ok {
			s.report.Errorf(o.ValueAt("meta"), "wrong-type", fmt.Sprintf("put it into quotes: %s: %q", name, fmt.Sprint(value)), "meta.%s is no text", name)
		}
		meta[name] = text
	}
	return meta
}
