package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/leat-run/leat/store"
)

const (
	replayLetters = 1000
	// replayWindow is how many letters may be on their way when a kill comes (engine's replayBatch).
	replayWindow = 256
)

const replayDocument = `apiVersion: leat/v1
kind: Pipeline
metadata: {name: mend}
sources: {in: {file: {path: in.jsonl}}}
transforms: {t: {from: [in], script: {file: t.js}}}
sinks: {out: {from: [t], file: {path: out.jsonl}, batch: {size: 20, timeout: 5ms}}}
dlq: {max_replays: 1000}
`

// replayFails says which letters the mended script still cannot take.
func replayFails(n int) bool { return n%50 == 7 }

// TestReplaySurvivesKills proves that a replay that is interrupted by kill -9 neither loses a
// letter nor leaves two: 1,000 letters are replayed with --delete, by a script that is mended but
// for every fiftieth, and the replay is killed at random moments, 50 times (5 with -short). After
// each kill every message is in the output or has its letter, and none has two letters; at the
// end exactly those that fail again are left, every other one is in the output, what came twice
// is at most the window of each kill, and the books balance.
func TestReplaySurvivesKills(t *testing.T) {
	kills := killsOf(50)
	if testing.Short() && os.Getenv(killCount) == "" {
		kills = 5
	}
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	fresh := replayWorld(t)
	spread := replaySpread(t, fresh)
	rounds, twice := 0, 0
	for done := 0; done < kills; rounds++ {
		dir := copyOf(t, fresh)
		hits := 0
		for done+hits < kills && replayKilled(t, dir, time.Duration(rng.Int64N(int64(spread)))) {
			hits++
			checkNoLetterLost(t, dir, seed)
		}
		replayToTheEnd(t, dir)
		twice += checkReplayed(t, dir, seed, hits)
		done += hits
	}
	t.Logf("seed %d: %d kills within %v in %d replays, %d messages delivered twice", seed, kills, spread, rounds, twice)
}

// replayWorld makes a pipeline with 1,000 letters, whose script is mended since.
func replayWorld(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var in bytes.Buffer
	for n := range replayLetters {
		fmt.Fprintf(&in, `{"n":%d}`+"\n", n)
	}
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("mend.yaml", replayDocument)
	put("in.jsonl", in.String())
	put("t.js", `export default () => { throw new Error('not yet') }`)
	run := leatIn(t, dir, "run", "mend.yaml", "--quiet")
	if out, err := run.CombinedOutput(); run.ProcessState.ExitCode() != int(exitPartial) {
		t.Fatalf("%v: %s", err, out)
	}
	put("t.js", `export default (msg) => { if (msg.payload.n % 50 === 7) throw new Error('never'); return msg }`)
	return dir
}

func copyOf(t *testing.T, fresh string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(fresh)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// replaySpread is the time within which to kill on this machine: that of a whole replay.
func replaySpread(t *testing.T, fresh string) time.Duration {
	t.Helper()
	dir := copyOf(t, fresh)
	began := time.Now()
	replayToTheEnd(t, dir)
	return max(time.Since(began), 50*time.Millisecond)
}

// replayToTheEnd replays what is left; it ends with 4, for some fail again.
func replayToTheEnd(t *testing.T, dir string) {
	t.Helper()
	replay := leatIn(t, dir, "replay", "mend.yaml", "--delete", "--json", "--quiet")
	out, err := replay.CombinedOutput()
	if replay.ProcessState.ExitCode() != int(exitPartial) {
		t.Fatalf("the last replay: %v: %s", err, out)
	}
}

// replayKilled starts a replay and kills it; it says whether the replay was still at work.
func replayKilled(t *testing.T, dir string, after time.Duration) bool {
	t.Helper()
	replay, said := leatIn(t, dir, "replay", "mend.yaml", "--delete", "--quiet"), &bytes.Buffer{}
	replay.Stderr = said
	return killed(t, replay, said, after)
}

// replayState reads who is in the output, how often, and who has how many letters. A half
// line at the end of the output is a torn write that the next start cuts.
func replayState(t *testing.T, dir string) (out, letters map[int]int) {
	t.Helper()
	out, letters = map[int]int{}, map[int]int{}
	text, err := os.ReadFile(filepath.Join(dir, "out.jsonl"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		out[numberOf(t, lines.Bytes())]++
	}
	st := openMended(t, dir)
	defer st.Close()
	err = st.Letters(func(l store.DeadLetter) error {
		letters[numberOf(t, l.Message.Payload)]++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, letters
}

func openMended(t *testing.T, dir string) *store.Store {
	t.Helper()
	st, err := store.Open(filepath.Join(dir, ".leat", "mend"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func numberOf(t *testing.T, text []byte) int {
	t.Helper()
	var payload struct{ N *int }
	if err := json.Unmarshal(text, &payload); err != nil || payload.N == nil {
		t.Fatalf("%v in %q", err, text)
	}
	return *payload.N
}

func checkNoLetterLost(t *testing.T, dir string, seed uint64) {
	t.Helper()
	out, letters := replayState(t, dir)
	for n := range replayLetters {
		if letters[n] > 1 || letters[n]+out[n] == 0 {
			t.Fatalf("seed %d: after a kill message %d has %d letters and %d lines", seed, n, letters[n], out[n])
		}
	}
}

// checkReplayed returns how many messages are in the output more than once.
func checkReplayed(t *testing.T, dir string, seed uint64, kills int) (twice int) {
	t.Helper()
	out, letters := replayState(t, dir)
	for n := range replayLetters {
		if fails := replayFails(n); fails && (letters[n] != 1 || out[n] != 0) || !fails && (letters[n] != 0 || out[n] == 0) {
			t.Errorf("seed %d: message %d has %d letters and %d lines", seed, n, letters[n], out[n])
		}
		twice += max(out[n]-1, 0)
	}
	if twice > replayWindow*kills {
		t.Errorf("seed %d: %d messages came twice, more than the window of each kill, %d", seed, twice, replayWindow*kills)
	}
	st := openMended(t, dir)
	defer st.Close()
	checkpoint, err := st.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	if err := checkpoint.Balance.Check(); err != nil || checkpoint.Through != st.LastSeq() {
		t.Errorf("seed %d: checkpoint %+v, the last row is %d, %v", seed, checkpoint, st.LastSeq(), err)
	}
	return twice
}
