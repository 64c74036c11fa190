package pipeline

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCodesAreDocumented proves that every code which a diagnostic of the datadriven documents
// carries stands in the README's table.
func TestCodesAreDocumented(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/documents/*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	code := regexp.MustCompile(`(?m)^testdata/\S+ (?:error|warning): .*? \(([a-z]+(?:-[a-z]+)*)\)(?::|$)`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range code.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(string(readme), "`"+match[1]+"`") {
				t.Errorf("%s: the code %s is not in README.md", file, match[1])
			}
		}
	}
}
