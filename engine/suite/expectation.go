package suite

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/pipeline/document"
)

// expectation reads what a case expects.
func (s *Suite) expectation(o *document.Object) expectation {
	var x expectation
	for _, e := range o.Entries("captures") {
		x.captures = append(x.captures, s.capture(e))
	}
	x.letters = lettersOf(o)
	if o.Written("filtered") {
		f := o.Object("filtered")
		x.filtered = &filtered{null: f.Int("null"), noOutput: f.Int("no_output"), noMatch: f.Int("no_match")}
	}
	if o.Written("dropped") {
		n := o.Int("dropped")
		x.dropped = &n
	}
	bounds := o.Values("fuel")
	for _, name := range slices.Sorted(maps.Keys(bounds)) {
		most, ok := bounds[name].(int64)
		if !ok || most < 1 {
			s.report.Errorf(o.ValueAt("fuel"), "wrong-type", "write fuel: {"+name+": 50_000}", "fuel.%s: expected a number of fuel units of at least 1", name)
		}
		x.fuel = append(x.fuel, fuelBound{reference{name, o.ValueAt("fuel")}, most})
	}
	return x
}

func lettersOf(o *document.Object) (out []letter) {
	for _, e := range o.Entries("dead_letters") {
		out = append(out, letter{
			node: e.Object.String("node"), class: e.Object.String("class"), kind: e.Object.String("kind"),
			reason: e.Object.String("reason"), message: e.Object.String("message"),
		})
	}
	return out
}

func (s *Suite) capture(e document.Entry) capture { return s.captureOf(e, "captures", "meta") }

// captureOf reads a capture below a key; what is annotated to a message has a name of its own in a stage.
func (s *Suite) captureOf(e document.Entry, under, meta string) capture {
	o := e.Object
	c := capture{
		under: under, metaName: meta, node: reference{e.Name, e.At}, hasCount: o.Written("count"), count: o.Int("count"), isSnap: o.Bool("snapshot"),
	}
	c.exact, c.hasExact = s.elements(o, "exact")
	c.subset, c.hasSubset = s.elements(o, "subset")
	c.text, c.hasText = s.elements(o, "text")
	c.keys, c.hasKeys = s.elements(o, "keys")
	c.meta, c.hasMeta = s.elements(o, meta)
	if under == "emitted" && o.Written("after") {
		return c
	}
	if !c.hasExact && !c.hasSubset && !c.hasText && !c.hasKeys && !c.hasMeta && !c.hasCount && !c.isSnap {
		s.report.Errorf(e.At, "missing-key", "write subset: [{…}], exact: [{…}], count: 1 or snapshot: true", "the capture of %s expects nothing", e.Name)
	}
	for _, text := range c.text {
		if len(text) == 0 || text[0] != '"' {
			s.report.Errorf(o.ValueAt("text"), "wrong-type", "put each into quotes", "text: expected a list of texts")
		}
	}
	return c
}

// elements are the elements of a list of JSON values.
func (s *Suite) elements(o *document.Object, key string) (out []json.RawMessage, written bool) {
	text := o.JSON(key)
	if text == nil {
		return nil, false
	}
	if err := json.Unmarshal(text, &out); err != nil || out == nil {
		s.report.Errorf(o.ValueAt(key), "wrong-type", "a `-` in front of each message: a list may be empty", "%s: expected a list, a value per message", key)
	}
	return out, true
}

// bind reports what a case names that the pipeline does not have.
func (s *Suite) bind(c *Case, plan *pipeline.Plan) {
	for _, capture := range c.expect.captures {
		if s.known(capture.node, capturable(plan)) && isSplit(plan, capture.node.name) {
			s.report.Errorf(capture.node.at, "unknown-node", "capture at the node that reads from it", "what leaves the split %s cannot be captured", capture.node.name)
		}
	}
	for _, bound := range c.expect.fuel {
		s.known(bound.node, guests(plan))
	}
	for _, sink := range slices.Sorted(maps.Keys(c.refuse)) {
		s.known(reference{sink, c.refuseAt}, sinksOf(plan))
	}
}

func isSplit(plan *pipeline.Plan, name string) bool {
	return slices.ContainsFunc(plan.Transforms, func(t *pipeline.Transform) bool { return t.Name == name && t.Module == nil })
}

// guests are the transforms that run code.
func guests(plan *pipeline.Plan) (names []string) {
	for _, t := range plan.Transforms {
		if t.Module != nil {
			names = append(names, t.Name)
		}
	}
	return names
}

func sinksOf(plan *pipeline.Plan) (names []string) {
	for _, n := range plan.Sinks {
		names = append(names, n.Name)
	}
	return names
}
