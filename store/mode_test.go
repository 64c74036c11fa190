//go:build unix

package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Proves that the directories which a store makes are closed to others, and that one which
// was there keeps its mode.
func TestDirectoriesArePrivate(t *testing.T) {
	top := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(top, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(top, 0o755); err != nil { // whatever the umask
		t.Fatal(err)
	}
	dir := filepath.Join(top, "pipelines", "p")
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, want := range map[string]fs.FileMode{dir: 0o700, filepath.Dir(dir): 0o700, top: 0o755} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v", name, info.Mode().Perm(), err)
		}
	}
}
