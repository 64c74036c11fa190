package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/endpoint"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/suite"
)

func testCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:      "test",
		Usage:     "run contract tests",
		ArgsUsage: "[PATH...]",
		Description: "Runs suites: orders" + suite.Extension + " injects into orders.yaml and says what must come of it. The real engine runs in\n" +
			"memory: no source is read, no sink is written. A directory stands for all suites below it; no path for this one.\n\n" +
			"--update writes the files of `snapshot: true`, and without --run removes those that no case has any more: read the\n" +
			"difference before you keep it. What a suite says itself (exact, subset, text, meta) is never rewritten: a case that\n" +
			"fails on it goes on failing, and prints what it got.\n\n" +
			"Examples:\n   leat test\n   leat test orders.yaml --run 'orders/total.*'\n   leat test --update",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "run", Usage: "only cases whose SUITE/CASE matches `REGEXP`"},
			&cli.BoolFlag{Name: "update", Usage: "write the snapshot files instead of comparing with them; a suite itself is left as it is"},
			&cli.StringFlag{Name: "junit", Usage: "write a JUnit report to `FILE`", TakesFile: true, Action: checkReport},
		},
		Action: func(c *cli.Context) error { return test(c, s) },
	})
}

func test(c *cli.Context, s surroundings) error {
	keep, err := caseFilter(c)
	if err != nil {
		return err
	}
	files, err := suiteFiles(c.Args().Slice())
	if err != nil {
		return err
	}
	results, err := runSuites(c, s, files, keep)
	if err != nil {
		return err
	}
	if err := writeJUnit(c, results); err != nil {
		return err
	}
	if c.Bool("json") {
		err = jsonTo(s.stdout).Encode(testRow(results))
	} else {
		printTests(c, s, results)
	}
	if err != nil {
		return err
	}
	return testVerdict(c, results)
}

// caseFilter is --run; nil keeps all.
func caseFilter(c *cli.Context) (*regexp.Regexp, error) {
	if !c.IsSet("run") {
		return nil, nil
	}
	expression, err := regexp.Compile(c.String("run"))
	if err != nil {
		return nil, usagef("write a regular expression of Go (RE2)", "--run %q: %v", c.String("run"), err)
	}
	return expression, nil
}

// suiteFiles finds the suites that the arguments name.
func suiteFiles(args []string) ([]string, error) {
	if len(args) == 0 {
		args = []string{"."}
	}
	var out []string
	for _, arg := range args {
		found, err := suitesAt(arg)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

func suitesAt(path string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, usagef("name a suite, a pipeline or a directory", "there is no %s", path)
	case info.IsDir():
		return suitesBelow(path)
	case strings.HasSuffix(path, suite.Extension):
		return []string{path}, nil
	}
	beside := strings.TrimSuffix(path, filepath.Ext(path)) + suite.Extension
	if pipeline.KindOf(path) == pipeline.KindSuite {
		return []string{path}, nil
	}
	if _, err := os.Stat(beside); err != nil {
		return nil, usagef("write "+beside+": `leat plugins schema suite` has its keys", "%s has no suite beside it", path)
	}
	return []string{beside}, nil
}

// suitesBelow walks a directory; packages and hidden directories are left out.
func suitesBelow(dir string) (out []string, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && path != dir && (strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules"):
			return filepath.SkipDir
		case !e.IsDir() && strings.HasSuffix(e.Name(), suite.Extension):
			out = append(out, path)
		}
		return nil
	})
	if err != nil {
		return nil, usagef("", "%v", err)
	}
	if len(out) == 0 {
		return nil, usagef("a suite's name ends in "+suite.Extension+"; `leat new pipeline demo --lang ts` makes one", "%s holds no suite", dir)
	}
	return out, nil
}

func runSuites(c *cli.Context, s surroundings, files []string, keep *regexp.Regexp) ([]suite.Result, error) {
	opt := suite.Options{
		Load:   pipeline.LoadOptions{Catalog: catalog(), Env: s.env},
		Codecs: endpoint.Endpoints().Codecs, Update: c.Bool("update"),
	}
	var results []suite.Result
	for _, file := range files {
		loaded, diagnostics := suite.Load(file, s.env)
		if loaded == nil {
			results = append(results, suite.Result{File: file, Diagnostics: diagnostics})
			continue
		}
		if keep != nil {
			opt.Keep = func(name string) bool { return keep.MatchString(loaded.Name + "/" + name) }
		}
		result, err := loaded.Run(c.Context, opt)
		if err != nil && c.Context.Err() != nil {
			return nil, ended(exitInterrupted)
		}
		if err != nil {
			return nil, fail(exitFailed, "", err)
		}
		results = append(results, result)
	}
	return results, nil
}

func writeJUnit(c *cli.Context, results []suite.Result) error {
	if !c.IsSet("junit") {
		return nil
	}
	text, err := suite.JUnit(results)
	if err == nil {
		err = os.WriteFile(c.String("junit"), text, 0o644)
	}
	if err != nil {
		return fail(exitFailed, "give another --junit", err)
	}
	return nil
}

// testJSON is the object of `test --json` (cli.md, Machine output).
type testJSON struct {
	Suites      int                   `json:"suites"`
	Cases       int                   `json:"cases"`
	Failed      []failedCase          `json:"failed"`
	Diagnostics []pipeline.Diagnostic `json:"diagnostics"`
}

type failedCase struct {
	Suite string `json:"suite"`
	Case  string `json:"case"`
	Diff  string `json:"diff"`
	Log   string `json:"log,omitempty"`
}

func testRow(results []suite.Result) testJSON {
	row := testJSON{Suites: len(results), Failed: []failedCase{}, Diagnostics: []pipeline.Diagnostic{}}
	for i := range results {
		r := &results[i]
		row.Cases += len(r.Cases)
		for _, failed := range r.Failed() {
			row.Failed = append(row.Failed, failedCase{r.Suite, failed.Name, failed.Diff, failed.Log})
		}
		if r.Invalid() {
			row.Diagnostics = append(row.Diagnostics, r.Diagnostics...)
		}
	}
	return row
}

// printTests prints a line per suite, and below it the diff of each case that fails.
func printTests(c *cli.Context, s surroundings, results []suite.Result) {
	for i := range results {
		r := &results[i]
		for _, file := range r.Written {
			remark(c, s, "wrote %s", file)
		}
		for _, file := range r.Removed {
			remark(c, s, "removed %s: no case refers to it", file)
		}
		if r.Invalid() {
			fmt.Fprintf(s.stdout, "FAIL  %s: cannot be loaded\n", r.File)
			printDiagnostics(s.stderr, r.Diagnostics)
			continue
		}
		printSuite(s, r)
	}
}

func printSuite(s surroundings, r *suite.Result) {
	if len(r.Cases) == 0 {
		return // --run left nothing
	}
	var took time.Duration
	for _, c := range r.Cases {
		took += c.Duration
	}
	failed := r.Failed()
	if len(failed) == 0 {
		fmt.Fprintf(s.stdout, "ok    %s: %s, %s\n", r.File, count(len(r.Cases), "case"), took.Round(time.Millisecond))
		return
	}
	fmt.Fprintf(s.stdout, "FAIL  %s: %d of %s failed, %s\n", r.File, len(failed), count(len(r.Cases), "case"), took.Round(time.Millisecond))
	for _, c := range failed {
		fmt.Fprintf(s.stdout, "\n--- %s/%s (%s:%d)\n%s\n", r.Suite, c.Name, r.File, c.Line, shown([]byte(c.Diff)))
		if c.Log != "" {
			fmt.Fprintf(s.stdout, "log\n  %s\n", indent(shown([]byte(c.Log))))
		}
	}
}

// testVerdict is the exit code: invalid before failing.
func testVerdict(c *cli.Context, results []suite.Result) error {
	code, cases := exitCompleted, 0
	for i := range results {
		r := &results[i]
		cases += len(r.Cases)
		if r.Invalid() {
			code = worse(code, exitInvalid)
		}
		if len(r.Failed()) > 0 {
			code = worse(code, exitPartial)
		}
	}
	if cases == 0 && code == exitCompleted && c.IsSet("run") {
		return usagef("it is matched against SUITE/CASE", "--run %q matches no case", c.String("run"))
	}
	return ended(code)
}
