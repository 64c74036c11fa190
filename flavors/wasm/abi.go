package wasm

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/leat-run/leat/runtime"
)

// leatModule holds the imports of ABI leat/1. README.md specifies every one.
const leatModule = "leat"

func leatFunctions() []hostFunction {
	return []hostFunction{
		{"emit", sig("ii", ""), emit},
		{"fail", sig("ii", ""), fail},
		{"meta_get", sig("iiii", "i"), metaGet},
		{"meta_set", sig("iiii", ""), metaSet},
		{"log", sig("iii", ""), logLine},
		{"now", sig("", "I"), now},
		{"config", sig("ii", "i"), config},
	}
}

// emit(ptr, len) adds one output.
func emit(i *instance, stack []uint64) {
	payload := i.view("emit", stack[0], stack[1])
	i.charge(len(payload))
	i.addOutput(payload)
}

// addOutput copies payload into a new output message, with the pending meta.
func (i *instance) addOutput(payload []byte) {
	budget := i.module.settings.Budget
	a := &i.apply
	if i.module.stage != runtime.EntryTransform && len(a.out) > 0 {
		panic(secondAnswer(i.module.stage))
	}
	if len(a.out) >= budget.Outputs {
		panic(overOutput("messages", int64(len(a.out)+1), int64(budget.Outputs), "budget.outputs"))
	}
	i.chargeOutput(len(payload))
	out := a.in
	if bytes.Equal(payload, a.in.Payload) {
		payload = a.in.Payload // passed through: nobody copies or checks it again
	} else {
		payload = bytes.Clone(payload)
		i.checkPayload(payload)
	}
	out.Payload = payload
	if a.meta != nil {
		out.Meta, a.meta = a.meta, nil
	}
	a.out = append(a.out, out)
}

// chargeOutput counts bytes that leave the guest against budget.output.
func (i *instance) chargeOutput(n int) {
	i.apply.outBytes += int64(n)
	if limit := i.module.settings.Budget.Output; i.apply.outBytes > limit {
		panic(overOutput("bytes of output", i.apply.outBytes, limit, "budget.output"))
	}
}

func overOutput(unit string, measured, limit int64, key string) *runtime.Failure {
	return &runtime.Failure{
		Kind: runtime.KindOutput, Deterministic: true,
		Message: fmt.Sprintf("too much came out: %d %s", measured, unit),
		Hint:    "raise the node's " + key + ", or emit less for one message", Measured: measured, Limit: limit,
	}
}

func (i *instance) checkPayload(payload []byte) {
	if i.apply.in.Codec != codecJSON {
		return
	}
	depth, at, ok := scanJSON(payload, i.module.settings.Budget.Depth)
	switch {
	case !ok:
		panic(&runtime.Failure{
			Kind: runtime.KindOutput, Deterministic: true,
			Message: fmt.Sprintf("emit: the payload is not one JSON text: wrong at byte %d of %d: %s", at, len(payload), excerpt(payload, at)),
			Hint:    "emit JSON, or give the source `decoder: raw` and the sink `encoder: raw`",
		})
	case depth > i.module.settings.Budget.Depth:
		failure := overOutput("levels of JSON", int64(depth), int64(i.module.settings.Budget.Depth), "budget.depth")
		panic(failure)
	}
}

// excerpt shows the bytes around a fault.
func excerpt(payload []byte, at int) string {
	return fmt.Sprintf("%q", runtime.Cut(string(payload[max(0, at-20):min(len(payload), at+20)]), 120))
}

// fail(ptr, len) keeps the reason of the failure that the guest is about to return.
func fail(i *instance, stack []uint64) {
	text := i.view("fail", stack[0], stack[1])
	i.charge(len(text))
	i.apply.failed = true
	i.apply.reason = runtime.Cut(string(text[:min(len(text), 2*runtime.MaxReason)]), runtime.MaxReason)
}

// metaGet(kptr, klen, buf, cap) copies a value out; -1 says that there is none.
func metaGet(i *instance, stack []uint64) {
	key := i.view("meta_get key", stack[0], stack[1])
	i.charge(len(key))
	buffer := i.view("meta_get buffer", stack[2], stack[3])
	value, found := i.metaValue(string(key))
	if !found {
		stack[0] = math.MaxUint32
		return
	}
	stack[0] = i.answer(buffer, value)
}

func (i *instance) metaValue(key string) (string, bool) {
	in := &i.apply.in
	switch key {
	case "leat.id":
		return in.ID, true
	case "leat.key":
		return string(in.Key), in.Key != nil
	case "leat.source":
		return in.Source, true
	}
	value, found := in.Meta[key]
	return value, found
}

// answer copies text to the guest's buffer if it fits, and returns its length either way. The whole buffer
// is the guest's to have, also where nothing is written: a wrong one is found with the first message.
func (i *instance) answer(buffer []byte, text string) uint64 {
	if len(buffer) >= len(text) {
		copy(buffer, text)
		i.charge(len(text))
	}
	return uint64(len(text))
}

// metaSet(kptr, klen, vptr, vlen) sets an annotation of the next output.
func metaSet(i *instance, stack []uint64) {
	key := i.metaText("meta_set key", stack[0], stack[1])
	value := i.metaText("meta_set value", stack[2], stack[3])
	if key == "" {
		panic(&runtime.Failure{Kind: runtime.KindOutput, Deterministic: true, Message: "meta_set: the key is empty"})
	}
	if strings.HasPrefix(key, runtime.MetaReserved) {
		return // the engine's own names are read-only
	}
	a := &i.apply
	if a.meta == nil {
		a.meta = i.inheritedMeta()
	}
	a.meta[key] = value
}

// metaEntryBytes is what an inherited entry counts for beside its texts: about what a map needs for it.
const metaEntryBytes = 32

// inheritedMeta copies the meta of the message for an output that is to have more. It counts as output each time:
// little code would else make the host hold the meta of one message as often as there are outputs.
func (i *instance) inheritedMeta() runtime.Meta {
	size := 0
	for name, value := range i.apply.in.Meta {
		size += len(name) + len(value) + metaEntryBytes
	}
	i.chargeOutput(size)
	if meta := maps.Clone(i.apply.in.Meta); meta != nil {
		return meta
	}
	return runtime.Meta{}
}

func (i *instance) metaText(what string, ptr, size uint64) string {
	text := i.view(what, ptr, size)
	i.charge(len(text))
	i.chargeOutput(len(text))
	if !utf8.Valid(text) {
		panic(&runtime.Failure{
			Kind: runtime.KindOutput, Deterministic: true, Message: what + " is not UTF-8",
			Hint: "meta is text: encode bytes, for example as base64",
		})
	}
	return string(text)
}

// logLine(level, ptr, len) logs one text.
func logLine(i *instance, stack []uint64) {
	text := i.view("log", stack[1], stack[2])
	i.charge(len(text))
	i.log.add(logLevel(uint32(stack[0])), text)
}

func logLevel(n uint32) string {
	levels := [...]string{"debug", "info", "warn", "error"}
	if int64(n) < int64(len(levels)) {
		return levels[n]
	}
	return "info"
}

// now() is the message's ingest time in Unix milliseconds.
func now(i *instance, stack []uint64) { stack[0] = uint64(i.clock.base.UnixMilli()) }

// config(buf, cap) copies the JSON of constants and parameters out.
func config(i *instance, stack []uint64) {
	stack[0] = i.answer(i.view("config buffer", stack[0], stack[1]), i.module.config)
}
