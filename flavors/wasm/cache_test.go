package wasm

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/leat-run/leat/flavors/wasm/meter"
)

// TestCacheIsNeverWrong proves that an entry comes back as it was written, that a rotten or
// torn one is a miss, that a directory which others can write to is not used, and that the
// longest unused files go first when the cache is too large.
func TestCacheIsNeverWrong(t *testing.T) {
	dir := t.TempDir()
	c := openCache(dir)
	module := guest(t, "identity")
	content := newFingerprint(module)
	first, version, err := c.rewrite(module, content, meter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	file := c.file(content, version)
	if got := readEntry(file); string(got) != string(first) {
		t.Errorf("%d bytes came back, %d were written", len(got), len(first))
	}
	if err := os.WriteFile(file, append(first, 0), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _, err := c.rewrite(module, content, meter.Options{}); err != nil || string(got) != string(first) {
		t.Errorf("a rotten entry was used (%v)", err)
	}
	prune(dir, 0)
	if left, _ := filepath.Glob(filepath.Join(dir, "rewritten", "*")); len(left) != 0 {
		t.Errorf("%v is left of 0 bytes", left)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if open := openCache(dir); open.dir != "" {
		t.Error("a directory that others can write to was used")
	}
}
