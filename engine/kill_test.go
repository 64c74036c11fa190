package engine_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/endpoint"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/store"
)

const (
	killLines  = 20_000
	killWindow = 256
	// killDir is set in a child: where it works.
	killDir = "LEAT_KILL_DIR"
	// killCount overrides how often a sweep kills.
	killCount = "LEAT_KILLS"
)

const killDocument = `apiVersion: leat/v1
kind: Pipeline
metadata: {name: kill}
sources:
  in: {file: {path: in.jsonl}}
transforms:
  parts: {from: [in], split: {path: parts}, workers: 2}
sinks:
  out: {from: [parts], file: {path: out.jsonl}, batch: {size: 50, timeout: 10ms}}
  aside: {from: [in: {required: false}], drop: {}}
limits: {max_in_flight: 256}
`

// C55: a child process runs a document from file to file over a real store and is killed
// with SIGKILL at random moments, again and again; the last one runs to its end. Every id
// is in the output or in the dead letters, none of them only half, and the balance holds.
// How many came twice is printed, and bounded by the window of each kill.
func TestC55KilledAtRandomMoments(t *testing.T) {
	if testing.Short() {
		t.Skip("kills take seconds")
	}
	kills := 10
	if n, err := strconv.Atoi(os.Getenv(killCount)); err == nil {
		kills = n
	}
	dir, seed := t.TempDir(), uint64(time.Now().UnixNano())
	writeKillInput(t, dir)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range kills {
		killChild(t, dir, time.Duration(20+rng.IntN(150))*time.Millisecond)
	}
	if out, err := child(t.Context(), dir).CombinedOutput(); err != nil {
		t.Fatalf("seed %d: the last run failed: %v\n%s", seed, err, out)
	}
	checkKillOutput(t, dir, seed, kills)
}

func writeKillInput(t *testing.T, dir string) {
	t.Helper()
	var in bytes.Buffer
	for i := range killLines {
		if i%1000 == 500 {
			fmt.Fprintf(&in, `{"id":%d}`+"\n", i) // no parts: a dead letter
			continue
		}
		fmt.Fprintf(&in, `{"id":%d,"parts":[{"id":%d,"part":0},{"id":%d,"part":1}]}`+"\n", i, i, i)
	}
	for name, text := range map[string][]byte{"in.jsonl": in.Bytes(), "kill.yaml": []byte(killDocument)} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func child(ctx context.Context, dir string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestKillChild$", "-test.count=1")
	cmd.Env = append(os.Environ(), killDir+"="+dir)
	return cmd
}

func killChild(t *testing.T, dir string, after time.Duration) {
	t.Helper()
	cmd := child(t.Context(), dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-time.After(after)
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // killed, or done before
}

// TestKillChild is the child's body; it does nothing in an ordinary run.
func TestKillChild(t *testing.T) {
	dir := os.Getenv(killDir)
	if dir == "" {
		t.Skip("only in a child process")
	}
	st, err := store.Open(filepath.Join(dir, "data"), store.Options{MinFreeBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	plan, diagnostics := pipeline.Load(t.Context(), filepath.Join(dir, "kill.yaml"), pipeline.LoadOptions{
		Catalog: pipeline.Catalog{Sources: endpoint.Sources(), Sinks: endpoint.Sinks(), Codecs: []string{"json", "raw"}},
	})
	if plan == nil {
		t.Fatalf("%+v", diagnostics)
	}
	defer plan.Close()
	e, err := engine.New(engine.Options{Plan: plan, Store: st, Endpoints: endpoint.Endpoints()})
	if err != nil {
		t.Fatal(err)
	}
	o := e.Run(t.Context())
	if err := o.Total.Check(); err != nil || o.Outstanding != 0 || o.Status == engine.StatusFailed {
		t.Fatalf("%v: %+v", err, o)
	}
}

func checkKillOutput(t *testing.T, dir string, seed uint64, kills int) {
	t.Helper()
	counts := map[string]int{}
	file, err := os.Open(filepath.Join(dir, "out.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var v struct{ ID, Part int }
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("seed %d: a torn line: %q", seed, lines.Text())
		}
		counts[fmt.Sprintf("%d/%d", v.ID, v.Part)]++
	}
	letters := killLetters(t, dir)
	lost, twice := 0, 0
	for i := range killLines {
		for part := range 2 {
			n := counts[fmt.Sprintf("%d/%d", i, part)]
			if n == 0 && letters[i] == 0 {
				lost++
			}
			twice += max(n-1, 0)
		}
	}
	t.Logf("seed %d: %d kills, %d lost, %d duplicates of %d records", seed, kills, lost, twice, 2*killLines)
	if most := 2 * killWindow * kills; twice > most {
		t.Errorf("seed %d: %d duplicates, more than the window of each kill: %d", seed, twice, most)
	}
	if lost > 0 || len(letters) != killLines/1000 {
		t.Errorf("seed %d: %d records are lost, %d messages in the dead letters", seed, lost, len(letters))
	}
}

// killLetters counts the dead letters by the id in their payload.
func killLetters(t *testing.T, dir string) map[int]int {
	t.Helper()
	st, err := store.Open(filepath.Join(dir, "data"), store.Options{MinFreeBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	letters := map[int]int{}
	err = st.Letters(func(l store.DeadLetter) error {
		var v struct{ ID int }
		if err := json.Unmarshal(l.Message.Payload, &v); err != nil {
			return err
		}
		letters[v.ID]++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return letters
}
