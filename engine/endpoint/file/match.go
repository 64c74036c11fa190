package file

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/leat-run/leat/engine/pipeline"
)

const globCharacters = `*?[`

// match returns the paths that a pattern names, sorted: the pattern itself where
// such a file exists, so that brackets in a name need no escape, else what it matches as a glob. Its
// directories are taken the same way: one that exists, such as the document's, is no pattern.
func match(pattern string) ([]string, error) {
	if _, err := os.Stat(pattern); err == nil || !strings.ContainsAny(pattern, globCharacters) {
		return existing(pattern, err)
	}
	dir, rest := split(pattern)
	paths, err := fs.Glob(os.DirFS(dir), filepath.ToSlash(rest))
	if err != nil {
		return nil, fmt.Errorf("file source: path %s: %w", pattern, err)
	}
	files := paths[:0]
	for _, path := range paths {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			files = append(files, path)
		}
	}
	return files, nil
}

// noFileError says that there is nothing to read. It is fs.ErrNotExist.
type noFileError struct{ pattern string }

func (e *noFileError) Error() string        { return "file source: no file matches " + e.pattern }
func (e *noFileError) Is(target error) bool { return target == fs.ErrNotExist }

func existing(path string, err error) ([]string, error) {
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("file source: %w", err)
	}
	return []string{path}, nil
}

// reads says whether a pattern names the file at a real path, under whatever name, or would if it
// were made.
func reads(pattern, path string) bool {
	if pipeline.RealPath(pattern) == path || pipeline.SameFile(pattern, path) {
		return true
	}
	found, err := match(pattern)
	if err != nil || len(found) == 1 && found[0] == pattern {
		return false // a pattern that is none is told of when the source is made
	}
	if slices.ContainsFunc(found, func(name string) bool { return pipeline.RealPath(name) == path || pipeline.SameFile(name, path) }) {
		return true
	}
	fixed, rest := split(pattern)
	below, err := filepath.Rel(pipeline.RealPath(fixed), path)
	if err != nil {
		return false
	}
	matched, _ := filepath.Match(rest, below) // match has read the pattern
	return matched
}

// split cuts a glob into the directory that it names and the elements that match.
func split(pattern string) (dir, rest string) {
	dir, rest = filepath.Dir(pattern), filepath.Base(pattern)
	for strings.ContainsAny(dir, globCharacters) && dir != filepath.Dir(dir) && !isDirectory(dir) {
		dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest)
	}
	return dir, rest
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
