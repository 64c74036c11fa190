package guests

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Proves of the types for scripts what no compiler is at hand to say: that nothing is declared
// twice, which makes every use of it an error in an editor, and that what `leat new` writes uses
// names that are there.
func TestTypes(t *testing.T) {
	types, err := os.ReadFile("js/leat.d.ts")
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^\s*(?:declare )?(?:interface|type|const|var) (\w+)`).FindAllSubmatch(types, -1) {
		declared[string(m[1])]++
	}
	for name, n := range declared {
		if n > 1 {
			t.Errorf("%s is declared %d times", name, n)
		}
	}
	templates, err := filepath.Glob("../cmd/leat/scaffold/templates/*/*.ts")
	if err != nil || len(templates) == 0 {
		t.Fatalf("%d templates, %v", len(templates), err)
	}
	for _, file := range append(templates, "js/leat.d.ts") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\bleat\.([A-Z]\w*)`).FindAllSubmatch(text, -1) {
			if declared[string(m[1])] == 0 {
				t.Errorf("%s uses leat.%s, which is not declared", file, m[1])
			}
		}
	}
}
