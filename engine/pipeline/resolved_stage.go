package pipeline

import "github.com/leat-run/leat/engine/pipeline/document"

// ResolvedStage is a Stage for reading, as Resolved is a Plan.
type ResolvedStage struct {
	Stage     string           `json:"stage"`
	File      string           `json:"file"`
	Mode      string           `json:"mode"`
	Constants map[string]any   `json:"constants,omitempty"`
	Inputs    []ResolvedInput  `json:"inputs"`
	Gate      ResolvedGate     `json:"gate"`
	Guest     ResolvedGuest    `json:"guest"`
	Outputs   []ResolvedOutput `json:"outputs"`
	Scope     ResolvedScope    `json:"scope"`
	OnFailure string           `json:"on_failure"`
}

// ResolvedInput is a topic that a stage reads, for reading.
type ResolvedInput struct {
	Topic   string `json:"topic"`
	Decoder string `json:"decoder"`
	Start   string `json:"start"`
}

// ResolvedGate says what a record waits for.
type ResolvedGate struct {
	// WaitsFor are the topics on which a cause holds a record back: those that the stage reads.
	WaitsFor         []string `json:"waits_for"`
	HoldWarningAfter string   `json:"hold_warning_after"`
	TruncateEvery    string   `json:"truncate_every"`
}

// ResolvedGuest is the fold or the handler, for reading.
type ResolvedGuest struct {
	Entry    string          `json:"entry"` // fold has a state per key, handle none
	Flavor   string          `json:"flavor"`
	Code     string          `json:"code"`
	Function string          `json:"function,omitempty"`
	Digest   string          `json:"digest,omitempty"`
	State    string          `json:"state"` // fresh or reuse: of the instance
	Integers string          `json:"integers,omitempty"`
	Allow    []string        `json:"allow,omitempty"`
	ABI      string          `json:"abi,omitempty"`
	Budget   *ResolvedBudget `json:"budget"`
}

// ResolvedOutput is a topic that a stage may emit to, for reading.
type ResolvedOutput struct {
	Topic   string `json:"topic"`
	Encoder string `json:"encoder"`
}

// ResolvedScope is what a stage's stored state is held against at a start.
type ResolvedScope struct {
	Inputs  []string `json:"inputs"`
	Outputs []string `json:"outputs"`
}

// Resolve returns the stage for reading. It shares the stage's constants.
func (s *Stage) Resolve() ResolvedStage {
	r := ResolvedStage{
		Stage: s.Name, File: s.File, Mode: string(s.Mode), Constants: s.Constants,
		Inputs: []ResolvedInput{}, Outputs: []ResolvedOutput{}, Scope: ResolvedScope{[]string{}, []string{}},
		Guest: s.resolveGuest(), OnFailure: string(s.OnFailure),
	}
	for _, in := range s.Inputs {
		r.Inputs = append(r.Inputs, ResolvedInput{in.Topic, in.Decoder, string(in.Start)})
		r.Scope.Inputs = append(r.Scope.Inputs, in.Topic)
	}
	for _, out := range s.Outputs {
		r.Outputs = append(r.Outputs, ResolvedOutput{out.Topic, out.Encoder})
		r.Scope.Outputs = append(r.Scope.Outputs, out.Topic)
	}
	r.Gate = ResolvedGate{r.Scope.Inputs, document.FormatDuration(s.HoldWarningAfter), document.FormatDuration(s.TruncateEvery)}
	return r
}

func (s *Stage) resolveGuest() ResolvedGuest {
	t := (&Transform{Flavor: s.Flavor, Code: s.Code, Settings: s.Settings, Module: s.Module}).resolve()
	return ResolvedGuest{
		Entry: string(s.Entry), Flavor: t.Flavor, Code: t.Code, Function: t.Function, Digest: t.Digest, State: t.State,
		Integers: t.Integers, Allow: t.Allow, ABI: t.ABI, Budget: t.Budget,
	}
}
