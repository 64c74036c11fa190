package wasm

import (
	"fmt"

	"github.com/leat-run/leat/runtime"
)

// The functions of a causal stage answer with one emit at most (runtime.Entry).

func secondAnswer(stage runtime.Entry) *runtime.Failure {
	return &runtime.Failure{
		Kind: runtime.KindOutput, Deterministic: true, Message: fmt.Sprintf("%s answered twice", stage),
		Hint: fmt.Sprintf("emit once: what %s emits is its whole answer, an array for several emissions", stage), Measured: 2, Limit: 1,
	}
}

// answered holds a call that went well against what its caller waits for: a fold has an answer,
// since no emission and no state would be the same as forgetting to answer.
func (i *instance) answered() error {
	if i.module.stage != runtime.EntryFold || len(i.apply.out) > 0 {
		return nil
	}
	return &runtime.Failure{
		Kind: runtime.KindOutput, Deterministic: true, Message: "fold gave no answer",
		Hint: `emit {"state": ..., "emit": [...]}; a state of null deletes it`,
	}
}
