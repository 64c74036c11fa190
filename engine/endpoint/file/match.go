package file

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// match returns the paths that a pattern names, sorted: the pattern itself where
// such a file exists, so that brackets in a name need no escape, else what it matches as a glob.
func match(pattern string) ([]string, error) {
	if _, err := os.Stat(pattern); err == nil || !strings.ContainsAny(pattern, `*?[`) {
		return existing(pattern, err)
	}
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("file source: path %s: %w", pattern, err)
	}
	files := paths[:0]
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			files = append(files, path)
		}
	}
	return files, nil
}

func existing(path string, err error) ([]string, error) {
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("file source: %w", err)
	}
	return []string{path}, nil
}
