package script

import (
	"maps"
	"path/filepath"
	"slices"
)

// Files returns the script's file and every file that it imports, directly or not.
func (m *module) Files() []string {
	files := map[string]bool{}
	if m.code.Path != "" {
		files[m.code.Path] = true
	}
	for name := range m.bundle.sources.text {
		if filepath.IsAbs(name) {
			files[name] = true
		}
	}
	return slices.Sorted(maps.Keys(files))
}
