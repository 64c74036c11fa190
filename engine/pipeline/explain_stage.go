package pipeline

import (
	"fmt"
	"strings"

	"github.com/leat-run/leat/runtime"
)

// Text renders the stage for a terminal, from its inputs to its outputs, every default visible.
func (r ResolvedStage) Text() string {
	w := &outline{}
	w.line("stage %s (%s), mode %s", r.Stage, r.File, r.Mode)
	w.values("constants", r.Constants)
	for _, in := range r.Inputs {
		w.line("\ninput %s: topic", in.Topic)
		w.pairs("decoder", in.Decoder, "start", in.Start, "channels", fmt.Sprintf("%s:0, %s:1, ... one for each partition", in.Topic, in.Topic))
	}
	w.line("\ngate")
	w.pairs("delivers", "a record once every cause of it on these topics was delivered",
		"waits for", strings.Join(r.Gate.WaitsFor, ", "), "hold_warning_after", r.Gate.HoldWarningAfter, "truncate_every", r.Gate.TruncateEvery)
	w.stageGuest(r.Guest)
	for _, out := range r.Outputs {
		w.line("\noutput %s: topic", out.Topic)
		w.pairs("encoder", out.Encoder, "partition", "by the hash of the emission's key")
	}
	w.line("\nscope")
	w.pairs("inputs", strings.Join(r.Scope.Inputs, ", "), "outputs", orDash(strings.Join(r.Scope.Outputs, ", ")),
		"on a change", "what leaves stays in every clock; records held of an input that leaves refuse the start")
	w.line("\non_failure")
	w.pairs("certain to recur", r.certain(), "any other", "block: the channel stands, and the record is tried again")
	return w.String()
}

func (w *outline) stageGuest(g ResolvedGuest) {
	w.line("\n%s: %s %s", g.Entry, g.Flavor, g.Code)
	w.pairs("workers", "one for each partition, which reads the channels of that partition", "state per key", g.keeps(),
		"function", orDash(g.Function), "digest", orDash(g.Digest), "state", g.State)
	w.guest(g.ABI, g.Integers, g.Allow, g.Budget)
}

// keeps says what lasts from one record of a key to the next.
func (g ResolvedGuest) keeps() string {
	if g.Entry != string(runtime.EntryFold) {
		return "none: a handler has no state"
	}
	return "null at first, written with the step, deleted by null"
}

// certain says what becomes of a record on which the guest would fail again in the same way.
func (r ResolvedStage) certain() string {
	if r.OnFailure == string(FailureDeadLetter) {
		return r.OnFailure + ": a dead letter in the same step, and the channel goes on"
	}
	return r.OnFailure + ": the channel stands until the stage starts with other code"
}

// Mermaid renders the stage as a Mermaid flowchart: topics as stadiums, the gate as a hexagon, the guest as a box, its state
// per key as a cylinder. A topic that is read and written is drawn once.
func (r ResolvedStage) Mermaid() string {
	w := &outline{}
	topics := map[string]string{}
	nodes := 0
	node := func(form string, lines ...string) string {
		id := fmt.Sprintf("n%d", nodes)
		nodes++
		w.line("  %s"+form, id, mermaidText(strings.Join(lines, "\n")))
		return id
	}
	w.line("flowchart LR")
	for _, in := range r.Inputs {
		topics[in.Topic] = node(`(["%s"])`, in.Topic, "topic · "+in.Decoder+" · "+in.Start)
	}
	gate := node(`{{"%s"}}`, "gate", "causes first")
	guest := node(`["%s"]`, r.Stage, r.Guest.Entry+" · "+r.Guest.Flavor+" "+r.Guest.Code)
	if r.Guest.Entry == string(runtime.EntryFold) {
		w.line("  %s <--> %s", guest, node(`[("%s")]`, "state", "per key"))
	}
	for _, out := range r.Outputs {
		if topics[out.Topic] == "" {
			topics[out.Topic] = node(`(["%s"])`, out.Topic, "topic · "+out.Encoder)
		}
	}
	for _, in := range r.Inputs {
		w.line("  %s --> %s", topics[in.Topic], gate)
	}
	w.line("  %s --> %s", gate, guest)
	for _, out := range r.Outputs {
		w.line("  %s --> %s", guest, topics[out.Topic])
	}
	return w.String()
}
