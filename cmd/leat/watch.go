package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// watchEvery is how often files are looked at.
const watchEvery = 200 * time.Millisecond

// watchTrial runs the sample, and again whenever a file that it depends on changes, until a signal
// comes.
func watchTrial(c *cli.Context, s surroundings, file string) error {
	if c.String("message") == "-" || c.String("state") == "-" {
		return usagef("give a file", "--watch cannot read standard input again")
	}
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	began := time.Now()
	files, err := tryAgain(c, s, file, nil)
	if err != nil {
		return err
	}
	watch(c.Context, ticker.C, files, began, func(changed string) []string {
		if !c.Bool("json") {
			fmt.Fprintf(s.stdout, "\n--- %s changed\n", changed)
		}
		files, _ = tryAgain(c, s, file, files)
		return files
	})
	return nil
}

// tryAgain is one run under watch: what is wrong with the document is said, and waited to be
// mended; only a wrong command line ends. It returns the files to look at.
func tryAgain(c *cli.Context, s surroundings, file string, before []string) ([]string, error) {
	t, err := tryOnce(c, s, file)
	if text := explain(errOrNil(err)); text != "" {
		fmt.Fprintln(s.stderr, text)
	}
	if before == nil && codeOf(err) == exitUsage {
		return nil, ended(exitUsage)
	}
	if err != nil {
		return append(before, t.files...), nil // an import that does not resolve is not among them
	}
	return t.files, nil
}

// watch calls changed with the name of a file that changed, and looks at the files that it returns
// from then on. What was saved since files were found counts as changed: it may have been read
// before. It looks once per tick and returns when ctx ends.
func watch(ctx context.Context, tick <-chan time.Time, files []string, since time.Time, changed func(name string) []string) {
	seen := unsure(since, look(files))
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick:
		}
		now := look(files)
		var names []string
		for name, state := range now {
			if seen[name] != state {
				names = append(names, filepath.Base(name))
			}
		}
		if seen = now; len(names) == 0 {
			continue
		}
		began := time.Now()
		files = changed(strings.Join(slices.Sorted(slices.Values(names)), ", "))
		for name, state := range unsure(began, look(files)) {
			if _, known := seen[name]; !known {
				seen[name] = state
			}
		}
	}
}

// unsure forgets the states of files that were modified since.
func unsure(since time.Time, states map[string]fileState) map[string]fileState {
	for name, state := range states {
		if state.modified.After(since) {
			states[name] = fileState{}
		}
	}
	return states
}

// fileState is what tells a file from what it was; zero where there is none.
type fileState struct {
	modified time.Time
	size     int64
}

func look(files []string) map[string]fileState {
	out := make(map[string]fileState, len(files))
	for _, name := range files {
		if absolute, err := filepath.Abs(name); err == nil {
			name = absolute // the same file may be named in two ways
		}
		info, err := os.Stat(name)
		if err != nil {
			out[name] = fileState{}
			continue
		}
		out[name] = fileState{info.ModTime(), info.Size()}
	}
	return out
}
