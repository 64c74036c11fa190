package engine_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

const (
	// killCount overrides how often a sweep kills.
	killCount = "LEAT_KILLS"
	// linesPerKill keeps the input longer than what a life gets done.
	linesPerKill = 3000
	killWindow   = 256
	// killLag bounds the rows behind the durable checkpoint, which is what a restart scans:
	// the window in flight, and what can become durable while one checkpoint is on its way
	// (the groups that the store syncs at a time and the one that it gathers).
	killLag = killWindow + 6*256
)

const killDocument = `apiVersion: leat/v1
kind: Pipeline
metadata: {name: kill}
sources:
  in: {file: {path: in.jsonl}}
transforms:
  guest: {from: [in], split: {path: parts}}
  parts: {from: [guest], split: {path: parts}, workers: 2}
sinks:
  out: {from: [parts], file: {path: out.jsonl}, batch: {size: 50, timeout: 10ms}}
  aside: {from: [in: {required: false}], drop: {}}
limits: {max_in_flight: 256}
`

// C55: a child process admits, transforms, delivers, writes dead letters, replays and
// deletes them, trims, drains and starts again, over a real store and real files, and is
// killed with SIGKILL at a random moment of all that, again and again. After each kill the
// books hold and what a restart has to scan is bounded; after the last one a run goes to
// its end: every record is in the output, none of them only half, and what can never
// succeed is in the dead letters, once a message, quarantined. How many came twice is printed,
// and bounded by the window of each kill.
func TestC55KilledAtRandomMoments(t *testing.T) {
	s := newKillSweep(t)
	for s.kill < s.kills {
		s.kill++
		s.life()
		s.checkBooks()
	}
	if out, err := s.child("final").CombinedOutput(); err != nil {
		t.Fatalf("seed %d: the last run failed: %v\n%s", s.seed, err, out)
	}
	s.checkBooks()
	s.checkOutput()
	t.Logf("seed %d: %d kills, %d of them in a run; %d rows admitted for %d lines, at most %d behind the checkpoint",
		s.seed, s.kills, s.hits, s.through, s.lines, s.lag)
	if s.hits < s.kills/2 {
		t.Errorf("seed %d: only %d of %d kills hit a run: they prove too little", s.seed, s.hits, s.kills)
	}
}

// killSweep is the parent's side.
type killSweep struct {
	t           *testing.T
	dir         string
	kills, kill int
	lines       int
	seed        uint64
	rng         *rand.Rand
	hits        int // kills that hit a run
	lag         runtime.Seq
	through     runtime.Seq // the checkpoint after the last kill
}

func newKillSweep(t *testing.T) *killSweep {
	t.Helper()
	s := &killSweep{t: t, dir: t.TempDir(), kills: 10, seed: uint64(time.Now().UnixNano())}
	if testing.Short() {
		s.kills = 3
	}
	if n, err := strconv.Atoi(os.Getenv(killCount)); err == nil {
		s.kills = n
	}
	s.lines = linesPerKill * s.kills
	s.rng = rand.New(rand.NewPCG(s.seed, 0))
	var in bytes.Buffer
	for i := range s.lines {
		fmt.Fprintf(&in, `{"id":%d,"parts":[{"id":%d,"part":0},{"id":%d,"part":1}]}`+"\n", i, i, i)
	}
	for name, text := range map[string][]byte{"in.jsonl": in.Bytes(), "kill.yaml": []byte(killDocument)} {
		if err := os.WriteFile(filepath.Join(s.dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *killSweep) child(work string) *exec.Cmd {
	cmd := exec.CommandContext(s.t.Context(), os.Args[0], "-test.run=^TestKillChild$", "-test.count=1")
	cmd.Env = append(os.Environ(), killDir+"="+s.dir, killWork+"="+work)
	return cmd
}

// life starts a child and kills it: one in four anywhere, in its start and its recovery
// too, the others once it has work.
func (s *killSweep) life() {
	s.t.Helper()
	cmd := s.child("endless")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	if s.rng.IntN(4) > 0 {
		awaitLine(out, killReady)
	}
	<-time.After(time.Duration(s.rng.IntN(80_000)) * time.Microsecond)
	_ = cmd.Process.Kill()
	rest, _ := io.ReadAll(out)
	if err := cmd.Wait(); err == nil || bytes.Contains(rest, []byte("FAIL")) {
		s.t.Fatalf("seed %d, kill %d: the child ended by itself: %v\n%s", s.seed, s.kill, err, rest)
	}
}

// awaitLine reads until the line has come, or the end.
func awaitLine(r io.Reader, line string) {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		if lines.Text() == line {
			return
		}
	}
}

// checkBooks opens what the child left and holds it against the promises.
func (s *killSweep) checkBooks() {
	s.t.Helper()
	st, err := store.Open(filepath.Join(s.dir, "data"), store.Options{MinFreeBytes: -1, Retention: killRetention})
	if err != nil {
		s.t.Fatalf("seed %d, kill %d: %v", s.seed, s.kill, err)
	}
	defer st.Close()
	c, err := st.Checkpoint()
	if err = errors.Join(err, c.Balance.Check(), s.checkRows(st)); err != nil {
		s.t.Fatalf("seed %d, kill %d: %v", s.seed, s.kill, err)
	}
	lag := st.LastSeq() - c.Through
	if c.Through < s.through || lag > killLag {
		s.t.Errorf("seed %d, kill %d: the checkpoint went from %d to %d, %d rows are behind it, at most %d should be", s.seed, s.kill, s.through, c.Through, lag, killLag)
	}
	s.through, s.lag = c.Through, max(s.lag, lag)
	if marker, _ := st.NodeState(":run"); string(marker) == "running" {
		s.hits++
	}
}

// checkRows finds a hole in what a restart scans.
func (s *killSweep) checkRows(st *store.Store) error {
	next := st.LastSeq() - runtime.Seq(st.SpoolRows()) + 1
	err := st.Rows(0, func(r store.Row) error {
		if r.Seq != next {
			return fmt.Errorf("row %d where %d should be", r.Seq, next)
		}
		next++
		return nil
	})
	if err == nil && next != st.LastSeq()+1 {
		err = fmt.Errorf("the spool ends before row %d of %d", next, st.LastSeq())
	}
	return err
}

func (s *killSweep) checkOutput() {
	s.t.Helper()
	counts := s.readOutput()
	letters := s.readLetters()
	lost, twice := 0, 0
	for i, n := range counts {
		hopeless := killFate(i/2) == killHopeless
		if n == 0 != hopeless || hopeless != (letters[i/2] > 0) {
			lost++
			s.t.Errorf("seed %d: part %d of %d was delivered %d times, and has %d letters", s.seed, i%2, i/2, n, letters[i/2])
		}
		twice += max(int(n)-1, 0)
	}
	s.t.Logf("seed %d: %d kills, %d lost, %d duplicates of %d records", s.seed, s.kills, lost, twice, len(counts))
	if most := 2 * killWindow * (s.kills + 1); twice > most {
		s.t.Errorf("seed %d: %d duplicates, more than the window of each kill: %d", s.seed, twice, most)
	}
}

// readOutput counts each part of each id.
func (s *killSweep) readOutput() []uint16 {
	s.t.Helper()
	file, err := os.Open(filepath.Join(s.dir, "out.jsonl"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer file.Close()
	counts := make([]uint16, 2*s.lines)
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var v struct{ ID, Part int }
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			s.t.Fatalf("seed %d: a torn line: %q", s.seed, lines.Text())
		}
		counts[2*v.ID+v.Part]++
	}
	return counts
}

// readLetters counts the dead letters by the id in their payload. All are past their last
// replay.
func (s *killSweep) readLetters() map[int]int {
	s.t.Helper()
	st, err := store.Open(filepath.Join(s.dir, "data"), store.Options{MinFreeBytes: -1})
	if err != nil {
		s.t.Fatal(err)
	}
	defer st.Close()
	letters := map[int]int{}
	err = st.Letters(func(l store.DeadLetter) error {
		id, err := killID(l.Message.Payload)
		if letters[id]++; !l.Quarantined || killFate(id) != killHopeless {
			s.t.Errorf("seed %d: a letter of %d that should not be: %+v", s.seed, id, l)
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return letters
}
