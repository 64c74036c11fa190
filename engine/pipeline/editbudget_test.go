package pipeline

import (
	"strings"
	"testing"
)

// Proves that a budget is edited where it stands and nothing else, and that only keys which
// a budget has are written.
func TestEditBudget(t *testing.T) {
	const text = "transforms:\n  a:\n    from: [in] # keep\n    budget: {timeout: 2s} # why\n    script: {file: a.js}\n"
	got, err := EditBudget([]byte(text), "a", "script", []BudgetKey{{Key: "fuel", Value: "4_000"}, {Key: "timeout", Value: "3s"}})
	want := strings.Replace(text, "{timeout: 2s}", "{fuel: 4_000, timeout: 3s}", 1)
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	for name, c := range map[string]struct{ node, key, fault string }{
		"unknown key":  {"a", "fule", `no key "fule"`},
		"unknown node": {"b", "fuel", "the budget of b cannot be written"},
	} {
		if _, err := EditBudget([]byte(text), c.node, "script", []BudgetKey{{Key: c.key, Value: "1"}}); err == nil || !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
