package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestCasesAreTests proves that testdata/cases.txt lists every case from the field once, and
// that the test which it names for a case is there and names the case.
func TestCasesAreTests(t *testing.T) {
	text, err := os.ReadFile("testdata/cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		name, where, _ := strings.Cut(strings.TrimSpace(line), " ")
		where = strings.TrimSpace(where)
		switch {
		case name == "#":
		case listed[name]:
			t.Errorf("%s is listed twice", name)
		case strings.HasPrefix(where, "not yet: "):
			t.Logf("%s: %s", name, where)
			listed[name] = true
		default:
			listed[name] = true
			checkCase(t, name, where)
		}
	}
	for _, name := range caseNames() {
		if !listed[name] {
			t.Errorf("%s is not listed: name its test, or write not yet and why", name)
		}
	}
}

// checkCase wants the name in the file, as a word or as a part of a test's name, and not
// only as the beginning of another number.
func checkCase(t *testing.T, name, file string) {
	t.Helper()
	text, err := os.ReadFile("../../" + file)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if !regexp.MustCompile(name + `([^0-9]|$)`).Match(text) {
		t.Errorf("%s does not name %s", file, name)
	}
}

// caseNames are the cases that there are: 57 of what goes through a pipeline, 11 of causal order.
func caseNames() []string {
	var names []string
	for n := 1; n <= 57; n++ {
		names = append(names, fmt.Sprintf("C%02d", n))
	}
	for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 13, 14, 15} {
		names = append(names, fmt.Sprintf("G%d", n))
	}
	return names
}
