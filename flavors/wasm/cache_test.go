package wasm

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/leat-run/leat/flavors/wasm/meter"
)

// TestCacheIsNeverWrong proves that an entry comes back as it was written, that a rotten or
// torn one is a miss, and that the longest unused files go first when the cache is too large.
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
}

// TestCacheIsPrivate proves that no directory is used in which somebody else could put machine
// code: one that others can write to, or that is another user's.
func TestCacheIsPrivate(t *testing.T) {
	for _, part := range []string{"", "code", "rewritten"} {
		dir := t.TempDir()
		if openCache(dir).dir != dir {
			t.Fatal("our own directory was not used")
		}
		if err := os.Chmod(filepath.Join(dir, part), 0o777); err != nil {
			t.Fatal(err)
		}
		if openCache(dir).dir != "" {
			t.Errorf("%q: a directory that others can write to was used", part)
		}
		if err := os.Chmod(filepath.Join(dir, part), 0o700); err != nil {
			t.Fatal(err)
		}
		if os.Geteuid() != 0 {
			continue // who cannot give a directory away has none to be given
		}
		if err := os.Chown(filepath.Join(dir, part), 12345, -1); err != nil {
			t.Fatal(err)
		}
		if openCache(dir).dir != "" {
			t.Errorf("%q: a directory of another user was used", part)
		}
	}
}
