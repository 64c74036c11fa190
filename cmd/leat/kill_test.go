package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/leat-run/leat/store"
)

const (
	killLines  = 20_000
	killWindow = 256 // killDocument's max_in_flight
	// killCount, in the environment, overrides how often a sweep kills.
	killCount = "LEAT_KILLS"
)

// killDocument takes every way a message can end: both flavors deliver, filter and fail,
// and the optional edge drops, since the child's standard output is full.
const killDocument = `apiVersion: leat/v1
kind: Pipeline
metadata: {name: kill}
sources:
  in: {file: {path: in.jsonl}}
transforms:
  price:
    from: [in]
    workers: 2
    script:
      source: |
        export default function (msg) {
          const order = msg.payload
          if (order.n % 100 === 7) return null
          if (order.n % 1000 === 500) throw new Error('order ' + order.n)
          order.total = order.items.reduce((sum, i) => sum + i.price * i.qty, 0)
          return msg
        }
  score: {from: [price], wasm: {module: score.wasm}}
sinks:
  out: {from: [score], file: {path: out.jsonl}, batch: {size: 50, timeout: 10ms}}
  full: {from: [in: {required: false, retries: 0, when: 'payload.n % 50 == 3'}], stdout: {}}
limits: {max_in_flight: 256}
`

// What becomes of order n, as killDocument says.
func killFiltered(n int) bool { return n%100 == 7 }
func killFailed(n int) bool   { return n%1000 == 500 || n%1000 == 900 } // the script throws; the guest traps

// C55, through the binary: leat runs orders through a script and a wasm guest over a real
// store and is killed with SIGKILL at random moments, each time restarted, until the orders
// are through; and again from new until all kills have hit a run at work. Then every id is
// in the output, in the dead letters, or one of those that the script filters, nothing is
// lost, what came twice is at most the window of each kill, and the books balance.
func TestC55BinaryKilledAtRandomMoments(t *testing.T) {
	kills, seed := killsOf(30), uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	spread := killSpread(t)
	for done := 0; done < kills; {
		dir := t.TempDir()
		writeKillInput(t, dir)
		hits := 0
		for done+hits < kills && killRun(t, dir, time.Duration(rng.Int64N(int64(spread)))) {
			hits++
		}
		finishKilled(t, dir)
		t.Logf("seed %d: %d kills", seed, hits)
		letters := checkKillEnds(t, dir, seed, hits)
		checkKillBooks(t, dir, seed, hits, letters)
		done += hits
	}
}

// killSpread is the time within which to kill on this machine: what a fifth of the orders
// take, from the start of the process on.
func killSpread(t *testing.T) time.Duration {
	t.Helper()
	dir := t.TempDir()
	writeKillInput(t, dir)
	began := time.Now()
	finishKilled(t, dir)
	return max(time.Since(began)/5, 50*time.Millisecond)
}

// finishKilled lets a run go to its end: partial, or completed where the failures were all
// before the last kill.
func finishKilled(t *testing.T, dir string) {
	t.Helper()
	run, said := killable(t, dir)
	_ = run.Run() // its exit code says more
	if code := run.ProcessState.ExitCode(); code != int(exitPartial) && code != int(exitCompleted) {
		t.Fatalf("the last run ended with %d: %s", code, said)
	}
}

// killsOf is how many kills a sweep makes: ordinary, unless the environment says; few in
// short mode.
func killsOf(ordinary int) int {
	if n, err := strconv.Atoi(os.Getenv(killCount)); err == nil {
		return n
	}
	if testing.Short() {
		return 3
	}
	return ordinary
}

func writeKillInput(t *testing.T, dir string) {
	t.Helper()
	var in bytes.Buffer
	for n := range killLines {
		priority := n % 3
		if n%1000 == 900 {
			priority = 9 // score traps
		}
		fmt.Fprintf(&in, `{"n":%d,"priority":%d,"items":[{"sku":"a-1","price":12.5,"qty":%d},{"sku":"b-2","price":3,"qty":1}]}`+"\n", n, priority, n%9)
	}
	module, err := os.ReadFile("../../guests/c/score/score.wasm")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"in.jsonl": in.Bytes(), "kill.yaml": []byte(killDocument), "score.wasm": module} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// leatIn is the command line run as a child in dir: this test binary, under leat's name.
func leatIn(t testing.TB, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Args = append([]string{"leat"}, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "XDG_CACHE_HOME="+testCache())
	return cmd
}

// killable is a run of killDocument whose standard output takes nothing, and what it will
// have said on standard error.
func killable(t *testing.T, dir string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("the optional edge needs a device that is always full: %v", err)
	}
	t.Cleanup(func() { _ = full.Close() })
	cmd, said := leatIn(t, dir, "run", "kill.yaml", "--quiet"), &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = full, said
	return cmd, said
}

// killRun starts a run and kills it; it says whether the run was still at work. A run that
// ended by itself before must have ended well.
func killRun(t *testing.T, dir string, after time.Duration) bool {
	t.Helper()
	cmd, said := killable(t, dir)
	return killed(t, cmd, said, after)
}

// killed starts a command and kills it; it says whether it was still at work. One that ended
// by itself before must have ended well; said is what it wrote on standard error.
func killed(t *testing.T, cmd *exec.Cmd, said *bytes.Buffer, after time.Duration) bool {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-time.After(after)
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()
	switch code := cmd.ProcessState.ExitCode(); code {
	case -1:
		return true
	case int(exitCompleted), int(exitPartial):
		return false
	default:
		t.Fatalf("a command ended by itself with %d: %s", code, said)
		return false
	}
}

// checkKillEnds returns the number of dead letters.
func checkKillEnds(t *testing.T, dir string, seed uint64, kills int) uint64 {
	t.Helper()
	delivered, letters := killOutput(t, dir), killLetters(t, dir)
	var lost, wrong []int
	twice := 0
	for n := range killLines {
		ended := delivered[n] > 0 || letters[n] > 0
		switch {
		case killFiltered(n):
			if ended {
				wrong = append(wrong, n)
			}
		case !ended:
			lost = append(lost, n)
		case killFailed(n) != (letters[n] > 0), letters[n] > 1:
			wrong = append(wrong, n)
		}
		twice += max(delivered[n]-1, 0)
	}
	t.Logf("seed %d: %d lost, %d of %d delivered twice", seed, len(lost), twice, killLines)
	if len(lost) > 0 || len(wrong) > 0 {
		t.Errorf("seed %d: lost %v, ended wrongly %v", seed, lost, wrong)
	}
	if twice > killWindow*kills {
		t.Errorf("seed %d: %d duplicates, more than the window of each kill, %d", seed, twice, killWindow*kills)
	}
	return uint64(len(letters))
}

// killOutput counts the lines of the output by order; a torn one fails.
func killOutput(t *testing.T, dir string) map[int]int {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, "out.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	counts := map[int]int{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var order struct{ N, Score *int }
		if err := json.Unmarshal(lines.Bytes(), &order); err != nil || order.N == nil || order.Score == nil {
			t.Fatalf("a torn or half-made line: %q", lines.Text())
		}
		counts[*order.N]++
	}
	return counts
}

// killLetters counts the dead letters by order, as the command line lists them.
func killLetters(t *testing.T, dir string) map[int]int {
	t.Helper()
	out, err := leatIn(t, dir, "dlq", "list", "kill.yaml", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[int]int{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var letter struct{ Payload struct{ N int } }
		if err := json.Unmarshal(lines.Bytes(), &letter); err != nil {
			t.Fatalf("%v: %q", err, lines.Text())
		}
		counts[letter.Payload.N]++
	}
	return counts
}

// checkKillBooks compares the store's books with what the input asks for: each admitted
// message is committed, and each branch ended once. The sink's duplicates are not in the
// books: they are of branches that did not count before the kill.
func checkKillBooks(t *testing.T, dir string, seed uint64, kills int, letters uint64) {
	t.Helper()
	st, err := store.Open(filepath.Join(dir, ".leat", "kill"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	checkpoint, err := st.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	b := checkpoint.Balance
	t.Logf("seed %d: checkpoint %d, %+v", seed, checkpoint.Through, b)
	if err := b.Check(); err != nil {
		t.Error(err)
	}
	admitted := uint64(st.LastSeq())
	if uint64(checkpoint.Through) != admitted {
		t.Errorf("seed %d: %d messages are admitted, the checkpoint is at %d", seed, admitted, checkpoint.Through)
	}
	if admitted < killLines || admitted > killLines+uint64(killWindow*kills) {
		t.Errorf("seed %d: %d messages are admitted for %d lines", seed, admitted, killLines)
	}
	if b.Opened != admitted+b.Dropped || b.Null < killLines/100 || b.Dropped < killLines/50 || b.DeadLettered != letters {
		t.Errorf("seed %d: the books miss something: %+v", seed, b)
	}
}
