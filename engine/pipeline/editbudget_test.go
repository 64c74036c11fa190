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

// Proves that lines which are added end as the others do.
func TestEditBudgetKeepsLineEnds(t *testing.T) {
	for name, text := range map[string]string{
		"a new mapping": "transforms:\r\n  a:\r\n    from: [in]\r\n    script: {file: a.js}\r\n",
		"a new key":     "transforms:\r\n  a:\r\n    budget:\r\n      timeout: 2s\r\n    script: {file: a.js}\r\n",
	} {
		got, err := EditBudget([]byte(text), "a", "script", []BudgetKey{{Key: "fuel", Value: "4_000"}})
		if err != nil || strings.Count(string(got), "\n") != strings.Count(text, "\n")+1 || strings.Count(string(got), "\n") != strings.Count(string(got), "\r\n") {
			t.Errorf("%s: %v\n%q", name, err, got)
		}
	}
}
