//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/leat-run/leat/runtime"
)

// deadly is leat with a script flavor that ends its process at a message with "kill":true, as
// a hole in a virtual machine would.
func deadly() {
	shipped := flavors
	flavors = func() map[string]runtime.Flavor {
		all := shipped()
		all["script"] = deadlyFlavor{all["script"]}
		return all
	}
	main()
}

type deadlyFlavor struct{ runtime.Flavor }

func (f deadlyFlavor) Compile(ctx context.Context, code runtime.Code, s runtime.Settings) (runtime.Module, error) {
	m, err := f.Flavor.Compile(ctx, code, s)
	return deadlyModule{m}, err
}

type deadlyModule struct{ runtime.Module }

func (m deadlyModule) Instantiate(ctx context.Context, h runtime.Host) (runtime.Transform, error) {
	t, err := m.Module.Instantiate(ctx, h)
	return deadlyTransform{t}, err
}

type deadlyTransform struct{ runtime.Transform }

// deadlyExit is the status with which the process ends.
const deadlyExit = 77

func (t deadlyTransform) Apply(ctx context.Context, m runtime.Message) (runtime.Result, error) {
	if bytes.Contains(m.Payload, []byte(`"kill":true`)) {
		os.Exit(deadlyExit)
	}
	return t.Transform.Apply(ctx, m)
}

const deadlyDocument = `apiVersion: leat/v1
kind: Pipeline
metadata: {name: deadly}
sources: {in: {file: {path: in.jsonl}}}
transforms: {pass: {from: [in], workers: %d, isolation: %s, script: {source: "export default (msg) => msg"}}}
sinks: {out: {from: [pass], file: {path: out.jsonl}}}
limits: {max_in_flight: 64}
`

const deadlyLines = 300

// deadlyDir holds a document and its input; the given lines kill.
func deadlyDir(t *testing.T, isolation string, workers int, killers ...int) string {
	t.Helper()
	dir := t.TempDir()
	var in bytes.Buffer
	for n := range deadlyLines {
		kill := ""
		for _, k := range killers {
			if k == n {
				kill = `,"kill":true`
			}
		}
		fmt.Fprintf(&in, "{\"n\":%d%s}\n", n, kill)
	}
	for name, text := range map[string]string{"in.jsonl": in.String(), "deadly.yaml": fmt.Sprintf(deadlyDocument, workers, isolation)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// deadlyRun runs the document and returns the process's status.
func deadlyRun(t *testing.T, dir string) int {
	t.Helper()
	cmd := leatIn(t, dir, "run", "deadly.yaml", "--quiet")
	cmd.Args[0] = "leat-deadly"
	var said bytes.Buffer
	cmd.Stderr = &said
	_ = cmd.Run() // its status says more
	if said.Len() > 0 {
		t.Logf("%s", &said)
	}
	return cmd.ProcessState.ExitCode()
}

// checkDeadly proves that exactly the killers are dead letters, of kind crash after one
// attempt, and that all others are through.
func checkDeadly(t *testing.T, dir string, killers ...int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "out.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var m struct{ N int }
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		seen[m.N] = true
	}
	if len(seen) != deadlyLines-len(killers) {
		t.Errorf("%d messages are through", len(seen))
	}
	out, err := leatIn(t, dir, "dlq", "list", "deadly.yaml", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	letters := 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); letters++ {
		var l struct {
			Kind     string
			Attempts int
			Payload  struct{ N int }
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		if l.Kind != string(runtime.KindCrash) || l.Attempts != 1 || seen[l.Payload.N] {
			t.Errorf("%s", lines.Text())
		}
	}
	if letters != len(killers) {
		t.Errorf("%d dead letters", letters)
	}
}

// Proves the protocol of killer messages through the binary: a message kills leat itself;
// after the restart it dies in a child process, alone, and is a dead letter; all others are
// through, and a third run has nothing to do.
func TestKillerMessage(t *testing.T) {
	for _, workers := range []int{1, 2} {
		t.Run(fmt.Sprint(workers, " workers"), func(t *testing.T) {
			dir := deadlyDir(t, "none", workers, 120)
			if code := deadlyRun(t, dir); code != deadlyExit {
				t.Fatalf("the first run ended with %d", code)
			}
			if code := deadlyRun(t, dir); code != int(exitPartial) {
				t.Fatalf("the second run ended with %d", code)
			}
			checkDeadly(t, dir, 120)
			if code := deadlyRun(t, dir); code != int(exitCompleted) {
				t.Errorf("the third run ended with %d", code)
			}
		})
	}
}

// Proves that killer messages under isolation: process never touch leat itself.
func TestKillerMessageIsolated(t *testing.T) {
	killers := []int{0, 120, 121, deadlyLines - 1}
	for _, workers := range []int{1, 2} {
		t.Run(fmt.Sprint(workers, " workers"), func(t *testing.T) {
			dir := deadlyDir(t, "process", workers, killers...)
			if code := deadlyRun(t, dir); code != int(exitPartial) {
				t.Fatalf("the run ended with %d", code)
			}
			checkDeadly(t, dir, killers...)
		})
	}
}
