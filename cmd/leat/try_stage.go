package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/codec"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/stage"
	"github.com/leat-run/leat/runtime"
)

// stageSampleFlags say what `leat try` takes as the record of a stage, besides sampleFlags.
func stageSampleFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "topic", Usage: "of a stage: the topic of the record; the only input if there is one: `NAME`"},
		&cli.StringSliceFlag{Name: "header", KeepSpace: true, Usage: "of a stage: a header of the record; may be repeated: `K=V`"},
		&cli.BoolFlag{Name: "record", Usage: "of a stage: --message is a record as `leat topic read --json` prints it"},
		&cli.StringFlag{Name: "state", Usage: "of a fold: the state before, as JSON: a file, or - for standard input; not given: null: `FILE`", TakesFile: true},
	}
}

// withoutFlags refuses flags that are not meant for what is tried.
func withoutFlags(c *cli.Context, noun string, flags ...cli.Flag) error {
	for _, f := range flags {
		if name := f.Names()[0]; c.IsSet(name) {
			return usagef("leave it out", "--%s has no meaning for %s", name, noun)
		}
	}
	return nil
}

// stageTrial is what a trial has besides, where the guest is a stage's.
type stageTrial struct {
	plan   *pipeline.Stage
	call   stage.Call
	answer stage.Answer
}

// tryStage is tryOnce for the document of a stage.
func tryStage(c *cli.Context, s surroundings, file string) (*trial, error) {
	t := &trial{files: []string{file}}
	if err := withoutFlags(c, "a stage", &cli.StringFlag{Name: "node"}, &cli.StringFlag{Name: "spool"}, &cli.StringFlag{Name: "meta"}); err != nil {
		return t, err
	}
	options, err := loadOptions(c, s)
	if err != nil {
		return t, err
	}
	plan, diagnostics := pipeline.LoadStage(c.Context, file, options)
	if plan == nil {
		for _, d := range diagnostics {
			t.files = append(t.files, d.File)
		}
		return t, invalid(c, s, file, diagnostics)
	}
	defer func() { _ = plan.Close() }() // a module that does not close has nothing to say here
	t.node = guestOf(plan)
	t.files = append(t.files, filesOf(&pipeline.Plan{Transforms: []*pipeline.Transform{t.node}})...)
	for _, name := range []string{c.String("message"), c.String("state")} {
		if name != "" && name != "-" {
			t.files = append(t.files, name)
		}
	}
	t.stage = &stageTrial{plan: plan}
	if t.stage.call, err = pickCall(c, s, plan); err != nil {
		return t, err
	}
	if err := t.runProfiled(c, options.Catalog, t.stage.call.Message()); err != nil {
		return t, err
	}
	t.readAnswer()
	return t, t.print(c, s)
}

// guestOf is a stage's guest as a trial takes it.
func guestOf(plan *pipeline.Stage) *pipeline.Transform {
	return &pipeline.Transform{
		Name: string(plan.Entry), Flavor: plan.Flavor, Code: plan.Code, Settings: plan.Settings,
		Module: plan.Module,
	}
}

// readAnswer holds what the guest returned against the document.
func (t *trial) readAnswer() {
	if t.failure == nil {
		t.stage.answer, t.failure = stage.ReadAnswer(t.stage.plan, t.stage.call.Record.Key, t.result)
	}
}

// stageTrialJSON is the object of `try --json` for a stage (cli.md, Machine output).
type stageTrialJSON struct {
	Stage     string         `json:"stage"`
	Node      string         `json:"node"` // fold or handle
	Flavor    string         `json:"flavor"`
	State     any            `json:"state"` // after it, of a fold; null is none
	Emissions []emissionJSON `json:"emissions"`
	trialSpent
}

// emissionJSON is a record that the guest emits, as it would stand in the topic.
type emissionJSON struct {
	To string `json:"to"`
	valuesJSON
}

func (t *trial) stageRow() stageTrialJSON {
	st := t.stage
	row := stageTrialJSON{
		Stage: st.plan.Name, Node: t.node.Name, Flavor: t.node.Flavor, Emissions: []emissionJSON{}, trialSpent: t.spent(),
	}
	if row.State = bytesJSON(st.answer.State); isJSON(st.answer.State) {
		row.State = json.RawMessage(st.answer.State)
	}
	for _, e := range st.answer.Emit {
		row.Emissions = append(row.Emissions, emissionJSON{e.Topic, valuesOf(e.Key, e.Value, e.Headers)})
	}
	return row
}

// verdict is what came of a record in a few words.
func (st *stageTrial) verdict() string {
	emitted := count(len(st.answer.Emit), "emission")
	switch {
	case st.plan.Entry != runtime.EntryFold:
		return emitted
	case st.answer.State == nil:
		return "no state, " + emitted
	default:
		return "a state, " + emitted
	}
}

// write prints the state and the emissions over several lines.
func (st *stageTrial) write(b *strings.Builder) {
	block := func(text []byte) string { return indent(pretty(runtime.Message{Payload: text, Codec: "json"})) }
	if st.answer.State != nil {
		fmt.Fprintf(b, "\nstate\n  %s\n", block(st.answer.State))
	}
	for i, e := range st.answer.Emit {
		fmt.Fprintf(b, "\nemission %d of %d, to %s\n", i+1, len(st.answer.Emit), e.Topic)
		if e.Key != nil {
			fmt.Fprintf(b, "  key     %s\n", shown(e.Key))
		}
		for _, h := range e.Headers {
			fmt.Fprintf(b, "  header  %s = %s\n", shown([]byte(h.Name)), shown(h.Value))
		}
		if e.Value == nil {
			b.WriteString("  (null)\n")
			continue
		}
		fmt.Fprintf(b, "  %s\n", block(e.Value))
	}
}

// decodedCall is the call with its value decoded as the input says.
func decodedCall(plan *pipeline.Stage, call stage.Call, where string) (stage.Call, error) {
	at := slices.IndexFunc(plan.Inputs, func(in pipeline.StageInput) bool { return in.Topic == call.Topic })
	decoder := plan.Inputs[at].Decoder
	call.Entry, call.Raw = plan.Entry, decoder == codec.NameRaw
	if call.Record.Value == nil {
		return call, nil
	}
	payload, err := codec.All()[decoder].Decode(call.Record.Value)
	if err != nil {
		return call, usagef("the stage would fail on it (kind input); if the file holds a value a line, say --line 1, if it holds a record, --record",
			"the value in %s is none of %s: %v", where, call.Topic, err)
	}
	call.Payload = payload
	return call, nil
}
