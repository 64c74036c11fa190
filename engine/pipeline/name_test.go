package pipeline

import (
	"os"
	"path/filepath"
	"testing"
)

// TestName proves that a document's name is found whatever else is wrong with it, and that a
// document without a proper one says why.
func TestName(t *testing.T) {
	head := "apiVersion: leat/v1\nkind: Pipeline\n"
	for _, c := range []struct{ text, name, code string }{
		{head + "metadata: {name: orders}\nsources: {in: {fiel: {}}}\ntransforms: {t: {script: {file: gone.js}}}\n", "orders", ""},
		{head + "metadata: {name: \"a-${constants.x}-${parameters.day}\"}\nconstants: {x: 1}\nparameters: {day: null, other: null}\n", "a-1-mon", ""},
		{head + "metadata: {name: ../etc}\n", "", "bad-name"},
		{head + "metadata: {nam: orders}\n", "", "missing-key"},
		{head, "", "missing-key"},
		{"apiVersion: leat/v1\nkind: Stage\nmetadata: {name: s}\n", "", "wrong-kind"},
		{"a: b: c", "", "syntax"},
	} {
		file := filepath.Join(t.TempDir(), "p.yaml")
		if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		name, diagnostics := Name(file, LoadOptions{Parameters: map[string]string{"day": "mon"}})
		code := ""
		if len(diagnostics) > 0 {
			code = diagnostics[0].Code
		}
		if name != c.name || code != c.code {
			t.Errorf("%q: name %q, %v; want %q, %q", c.text, name, diagnostics, c.name, c.code)
		}
	}
	if name, diagnostics := Name(filepath.Join(t.TempDir(), "gone.yaml"), LoadOptions{}); name != "" || diagnostics[0].Code != "unreadable" {
		t.Errorf("a file that is not there: %q, %v", name, diagnostics)
	}
}
