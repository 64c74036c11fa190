package wasm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/leat-run/leat/runtime"
)

// Apply gives one message to the guest.
func (i *instance) Apply(ctx context.Context, in runtime.Message) (runtime.Result, error) {
	started := time.Now()
	if err := ctx.Err(); err != nil {
		return runtime.Result{}, err
	}
	if failure := checkInput(in, i.module.settings.Budget); failure != nil {
		return runtime.Result{Usage: runtime.Usage{Duration: time.Since(started)}}, failure
	}
	i.begin(in)
	err := i.bounded(ctx, started, i.module.settings.Budget, (*instance).run)
	result := runtime.Result{Out: i.apply.out, Usage: i.usage(started)}
	if err != nil {
		result.Out, i.spent = nil, runtime.RecycleFailure
	} else if i.memory.size > i.mark {
		i.spent = runtime.RecycleMemory
	}
	i.apply = apply{}
	return result, err
}

// usage ends a message's accounts.
func (i *instance) usage(started time.Time) runtime.Usage {
	if i.tracer != nil {
		i.tracer.end(i.gauge.used())
	}
	return runtime.Usage{Fuel: i.gauge.used(), Duration: time.Since(started), Memory: int64(i.memory.size)}
}

// begin sets the instance to a message.
func (i *instance) begin(in runtime.Message) {
	i.apply = apply{in: in}
	i.clock.begin(in.Ingested)
	i.random.begin(in.ID)
	i.log.begin(i.module.settings.Budget.Log)
	i.memory.refused = 0
	if i.tracer != nil {
		i.tracer.begin()
	}
}

// bounded runs calls into the guest under one budget.
func (i *instance) bounded(ctx context.Context, started time.Time, budget runtime.Budget, call func(*instance) error) error {
	i.Context = ctx
	i.gauge.open(ctx, started, budget)
	err := call(i)
	if err == nil && i.gauge.overspent() {
		err = errFuel
	}
	if err == nil {
		i.log.end()
		return nil
	}
	var canceled *canceledError
	if errors.As(err, &canceled) {
		return canceled.err
	}
	return i.failure(err, started)
}

// run hands the payload over and calls transform.
func (i *instance) run() error {
	payload := i.apply.in.Payload
	ptr, err := i.roomFor(len(payload))
	if err != nil {
		return err
	}
	if err := i.handOver(ptr, payload); err != nil {
		return err
	}
	stack := [2]uint64{ptr, uint64(len(payload))}
	if err := i.transform.CallWithStack(i, stack[:]); err != nil {
		return err
	}
	return i.verdict(uint32(stack[0]))
}

// handOver copies the payload to where leat_alloc said.
func (i *instance) handOver(ptr uint64, payload []byte) (err error) {
	if ptr == 0 && len(payload) > 0 {
		return &runtime.Failure{
			Kind: runtime.KindOutput, Deterministic: true, Cause: errNoRoom,
			Message: fmt.Sprintf("%s(%d) returned 0: it found no room", i.module.entry.alloc, len(payload)),
			Hint:    "raise the node's budget.memory, or free what it gave out when transform is done with it",
		}
	}
	defer raised(&err)
	copy(i.view("the block for the payload", ptr, uint64(len(payload))), payload)
	return nil
}

// verdict reads what transform returned.
func (i *instance) verdict(code uint32) error {
	switch {
	case i.apply.failed:
		return &runtime.Failure{Kind: runtime.KindGuest, Deterministic: true, Message: i.apply.reason}
	case code != 0:
		return &runtime.Failure{
			Kind: runtime.KindGuest, Deterministic: true,
			Message: fmt.Sprintf("%s returned %d", i.module.entry.transform, int32(code)),
			Hint:    "0 means success; call leat.fail with a reason before another value is returned",
		}
	}
	return i.answered()
}

// checkInput holds a message against the limits of what a guest is given.
func checkInput(in runtime.Message, budget runtime.Budget) *runtime.Failure {
	if size := int64(len(in.Payload)); size > budget.Input {
		return &runtime.Failure{
			Kind: runtime.KindInput, Deterministic: true, Message: fmt.Sprintf("the payload has %d bytes", size),
			Hint: "raise the node's budget.input, or split the message before this node", Measured: size, Limit: budget.Input,
		}
	}
	if in.Codec != codecJSON || mayNest(in.Payload) <= budget.Depth {
		return nil
	}
	if depth, _, _ := scanJSON(in.Payload, budget.Depth); depth > budget.Depth {
		return &runtime.Failure{
			Kind: runtime.KindInput, Deterministic: true, Message: fmt.Sprintf("the payload nests at least %d levels", depth),
			Hint: "raise the node's budget.depth", Measured: int64(depth), Limit: int64(budget.Depth),
		}
	}
	return nil
}

// mayNest is an upper bound of a JSON text's depth that costs next to nothing.
func mayNest(text []byte) int { return bytes.Count(text, []byte{'['}) + bytes.Count(text, []byte{'{'}) }
