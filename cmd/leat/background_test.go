package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// What scripts can do beside testscript's own commands:
//
//	exits CODE PROGRAM ARGS...      run to the end and want exactly this exit code
//	start NAME PROGRAM ARGS...      run in the background, output to NAME.out and NAME.err
//	await FILE REGEXP               wait until the file has a match
//	poll REGEXP PROGRAM ARGS...     run to success, again and again, until its output has a match
//	signal NAME INT|TERM|KILL       send a signal to a started program
//	ended NAME CODE                 wait for its end and want this exit code
//	pprof FILE TYPE SOURCE FUNC     the profile's first value is TYPE, and some of it is in a function that
//	                                matches, of a source file that ends so ("-": any)
//	keys FILE KEY...                every line of the file is a JSON object of exactly these keys
//	json FILE PATH VALUE            the first line's value at a dotted path is this JSON
//	take NAME FILE PATH             put the first line's text at a dotted path into an environment variable
//	lines FILE N                    the file has so many lines
//	fetch ERR PATH FILE [BODY]      ask the console that ERR names, and keep the answer
//	patient ERR PATH FILE REGEXP    ask until the answer has a match, and keep it
//	letter ERR PIPELINE FILE        the newest dead letter of a console: FILE.json, FILE.txt
//	begins FILE START               the file begins with all of another one
//	sample                          lay out the sample pipeline in the script's directory
func scriptCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"exits": cmdExits, "start": cmdStart, "await": cmdAwait, "poll": cmdPoll, "signal": cmdSignal, "ended": cmdEnded,
		"pprof": cmdPprof, "keys": cmdKeys, "json": cmdJSON, "lines": cmdLines, "sample": cmdSample,
		"fetch": cmdFetch, "patient": cmdPatient, "letter": cmdLetter, "begins": cmdBegins,
		"take": cmdTake, "build": cmdBuild,
	}
}

// patience bounds every wait of a script: a broken promise must end the test.
const patience = 60 * time.Second

func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, args, 2, "exits CODE PROGRAM ARGS...")
	err := ts.Exec(args[1], args[2:]...)
	if code := exitCodeOf(err); strconv.Itoa(code) != args[0] {
		ts.Fatalf("%s ended with %d, want %s (%v)", strings.Join(args[1:], " "), code, args[0], err)
	}
}

// exitCodeOf is -1 for what did not run, or was killed.
func exitCodeOf(err error) int {
	var exited *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exited):
		return exited.ExitCode()
	default:
		return -1
	}
}

// started is a program in the background.
type started struct {
	command *exec.Cmd
	over    chan struct{} // closed after it ended
	err     error         // of Wait
}

// running are the programs of one script, by name.
type running map[string]*started

func runningOf(ts *testscript.TestScript) running { return ts.Value(runningKey{}).(running) }

type runningKey struct{}

func cmdStart(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, args, 2, "start NAME PROGRAM ARGS...")
	path, err := exec.LookPath(args[1]) // scripts run in a PATH that begins with the test's binaries
	if found, ok := lookIn(ts.Getenv("PATH"), args[1]); ok {
		path, err = found, nil
	}
	ts.Check(err)
	p := &started{command: exec.Command(path, args[2:]...), over: make(chan struct{})}
	p.command.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "SAMPLE", "XDG_CACHE_HOME"} {
		p.command.Env = append(p.command.Env, name+"="+ts.Getenv(name))
	}
	out, err := os.Create(ts.MkAbs(args[0] + ".out"))
	ts.Check(err)
	errs, err := os.Create(ts.MkAbs(args[0] + ".err"))
	ts.Check(err)
	p.command.Stdout, p.command.Stderr = out, errs
	ts.Check(p.command.Start())
	go func() {
		defer close(p.over)
		p.err = p.command.Wait()
		_, _ = out.Close(), errs.Close()
	}()
	ts.Defer(func() { _ = p.command.Process.Kill(); <-p.over })
	runningOf(ts)[args[0]] = p
}

func lookIn(path, program string) (string, bool) {
	for _, dir := range strings.Split(path, string(os.PathListSeparator)) {
		name := dir + string(os.PathSeparator) + program
		if info, err := os.Stat(name); err == nil && info.Mode()&0o111 != 0 {
			return name, true
		}
	}
	return "", false
}

// eventually asks until the answer is yes, for as long as patience lasts. It asks again and
// again because what it waits for happens in another process, which has no way to tell.
func eventually(done func() bool) bool {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if done() {
			return true
		}
	}
	return false
}

func cmdAwait(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, args, 2, "await FILE REGEXP")
	pattern, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	name := ts.MkAbs(args[0])
	var text []byte
	if eventually(func() bool {
		text, err = os.ReadFile(name)
		return err == nil && pattern.Match(text)
	}) {
		return
	}
	ts.Fatalf("%s has no %q after %v (%v):\n%s", args[0], args[1], patience, err, text)
}

func cmdPoll(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, args, 2, "poll REGEXP PROGRAM ARGS...")
	pattern, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	if eventually(func() bool {
		ts.Check(ts.Exec(args[1], args[2:]...))
		return pattern.MatchString(ts.ReadFile("stdout"))
	}) {
		return
	}
	ts.Fatalf("%s printed no %q within %v", strings.Join(args[1:], " "), args[0], patience)
}

func cmdSignal(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, args, 2, "signal NAME INT|TERM|KILL")
	signals := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL}
	ts.Check(startedAs(ts, args[0]).command.Process.Signal(signals[args[1]]))
}

func cmdEnded(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, args, 2, "ended NAME CODE")
	p := startedAs(ts, args[0])
	select {
	case <-p.over:
	case <-time.After(patience):
		ts.Fatalf("%s still runs after %v:\n%s", args[0], patience, ts.ReadFile(args[0]+".err"))
	}
	if code := exitCodeOf(p.err); strconv.Itoa(code) != args[1] {
		ts.Fatalf("%s ended with %d, want %s:\n%s", args[0], code, args[1], ts.ReadFile(args[0]+".err"))
	}
}

func startedAs(ts *testscript.TestScript, name string) *started {
	p := runningOf(ts)[name]
	if p == nil {
		ts.Fatalf("nothing was started as %s", name)
	}
	return p
}

func cmdKeys(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, args, 2, "keys FILE KEY...")
	want := slices.Sorted(slices.Values(args[1:]))
	lines := objects(ts, args[0])
	if len(lines) == 0 {
		ts.Fatalf("%s is empty", args[0])
	}
	for _, object := range lines {
		var got []string
		for key := range object {
			got = append(got, key)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			ts.Fatalf("%s has the keys %v\nwant          %v", args[0], got, want)
		}
	}
}

func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, args, 3, "json FILE PATH VALUE")
	var want any
	ts.Check(json.Unmarshal([]byte(args[2]), &want))
	lines := objects(ts, args[0])
	if len(lines) == 0 {
		ts.Fatalf("%s is empty", args[0])
	}
	got := any(lines[0])
	for name := range strings.SplitSeq(args[1], ".") {
		got = at(got, name)
	}
	if !reflect.DeepEqual(got, want) {
		ts.Fatalf("%s: %s is %v, want %v", args[0], args[1], got, want)
	}
}

func cmdTake(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, args, 3, "take NAME FILE PATH")
	lines := objects(ts, args[1])
	if len(lines) == 0 {
		ts.Fatalf("%s is empty", args[1])
	}
	got := any(lines[0])
	for name := range strings.SplitSeq(args[2], ".") {
		got = at(got, name)
	}
	text, ok := got.(string)
	if !ok {
		ts.Fatalf("%s: %s is %v, no text", args[1], args[2], got)
	}
	ts.Setenv(args[0], text)
}

// at is a value's member or element, nil where there is none.
func at(value any, name string) any {
	switch value := value.(type) {
	case map[string]any:
		return value[name]
	case []any:
		if i, err := strconv.Atoi(name); err == nil && i < len(value) {
			return value[i]
		}
	}
	return nil
}

// objects reads a file of JSON objects, one a line; stdout is what the last program printed.
func objects(ts *testscript.TestScript, file string) []map[string]any {
	var out []map[string]any
	for line := range strings.Lines(ts.ReadFile(file)) {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			ts.Fatalf("%s: %v in %q", file, err, line)
		}
		out = append(out, object)
	}
	return out
}

func cmdLines(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, args, 2, "lines FILE N")
	if got := strings.Count(ts.ReadFile(args[0]), "\n"); strconv.Itoa(got) != args[1] {
		ts.Fatalf("%s has %d lines, want %s", args[0], got, args[1])
	}
}

func cmdSample(ts *testscript.TestScript, neg bool, _ []string) {
	wants(ts, neg, nil, 0, "sample")
	from := ts.Getenv("SAMPLE")
	for _, name := range []string{"orders.yaml", "enrich.ts", "orders.jsonl"} {
		text := strings.ReplaceAll(ts.ReadFile(from+"/"+name), "../../../guests/go/score/", "")
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o644))
	}
	ts.Check(os.WriteFile(ts.MkAbs("score.wasm"), []byte(ts.ReadFile(from+"/../../../guests/go/score/score.wasm")), 0o644))
}

func wants(ts *testscript.TestScript, neg bool, args []string, least int, usage string) {
	if neg || len(args) < least {
		ts.Fatalf("usage: %s", usage)
	}
}
