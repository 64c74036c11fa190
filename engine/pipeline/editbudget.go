package pipeline

import (
	"fmt"

	"github.com/leat-run/leat/engine/pipeline/document"
)

// BudgetKey is a key of a transform's budget and its value as documents write it.
type BudgetKey = document.Setting

// EditBudget returns text, a pipeline document, with keys of a transform's budget changed or
// added. Every other byte stays: comments, order and layout. What it cannot edit in place is
// an error that says why.
func EditBudget(text []byte, transform, flavor string, keys []BudgetKey) ([]byte, error) {
	for _, k := range keys {
		if _, ok := fieldOf(budgetShape(), k.Key); !ok {
			return nil, fmt.Errorf("pipeline: a budget has no key %q", k.Key)
		}
	}
	out, err := document.Edit(text, []string{"transforms", transform, "budget"}, keys, flavor)
	if err != nil {
		return nil, fmt.Errorf("the budget of %s cannot be written: %w", transform, err)
	}
	return out, nil
}

func fieldOf(shape *document.Shape, name string) (Field, bool) {
	for _, f := range shape.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}
