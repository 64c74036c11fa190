package store

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// kills is how often the sweep kills its child; LEAT_KILLS asks for more.
func kills(t *testing.T) int {
	if n, err := strconv.Atoi(os.Getenv("LEAT_KILLS")); err == nil && n > 0 {
		return n
	}
	if testing.Short() {
		return 3
	}
	return 12
}

// A child that appends from four goroutines, moves the checkpoint, trims, and writes states
// and letters is killed with SIGKILL after a random number of acknowledgements, again and
// again on one directory. Each time: seqs are dense, every acknowledged row above the
// trim is there with the bytes that were appended, the acknowledged checkpoint and its
// balance did not go back, acknowledged letters are there. Both durabilities promise this.
func TestKillSweep(t *testing.T) {
	for _, durability := range []Durability{DurabilityFsync, DurabilityOS} {
		t.Run(string(durability), func(t *testing.T) {
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			rng := rand.New(rand.NewPCG(seed, 0))
			dir := t.TempDir()
			for round := range kills(t) {
				acked := runKilled(t, dir, durability, 1+rng.IntN(200))
				s := open(t, dir, Options{Durability: durability})
				verifyAcked(t, s, acked)
				if err := s.Close(); err != nil {
					t.Fatal(round, err)
				}
			}
		})
	}
}

// acked is what a child was told is durable before it was killed.
type acked struct {
	rows       map[runtime.Seq]string // payload by seq
	checkpoint runtime.Seq
	letters    []string
}

func runKilled(t *testing.T, dir string, durability Durability, lines int) acked {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=kill", "LEAT_STORE_DIR="+dir, "LEAT_STORE_DURABILITY="+string(durability))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	a := acked{rows: map[runtime.Seq]string{}}
	for scan := bufio.NewScanner(out); scan.Scan(); lines-- {
		a.note(scan.Text())
		if lines == 0 {
			_ = cmd.Process.Kill()
		}
	}
	_ = cmd.Wait()
	return a
}

func (a *acked) note(line string) {
	var first, last runtime.Seq
	var tag string
	if n, _ := fmt.Sscanf(line, "rows %d %d %s", &first, &last, &tag); n == 3 {
		for seq := first; seq <= last; seq++ {
			a.rows[seq] = fmt.Sprintf("%s/%d", tag, seq-first)
		}
	} else if n, _ := fmt.Sscanf(line, "checkpoint %d", &first); n == 1 {
		a.checkpoint = max(a.checkpoint, first)
	} else if n, _ := fmt.Sscanf(line, "letter %s", &tag); n == 1 {
		a.letters = append(a.letters, tag)
	}
}

func verifyAcked(t *testing.T, s *Store, a acked) {
	t.Helper()
	checkpoint, _ := s.Checkpoint()
	if checkpoint.Through < a.checkpoint || checkpoint.Through > s.LastSeq() {
		t.Fatalf("checkpoint %d, acknowledged %d, last row %d", checkpoint.Through, a.checkpoint, s.LastSeq())
	}
	if checkpoint.Balance.Opened != uint64(checkpoint.Through) {
		t.Fatalf("balance is not the checkpoint's: %+v", checkpoint)
	}
	seen := map[runtime.Seq]string{}
	next := s.trimmed() + 1
	if err := s.Rows(0, func(r Row) error {
		if r.Seq != next {
			t.Fatalf("row %d where %d should be", r.Seq, next)
		}
		next++
		seen[r.Seq] = string(r.Message.Payload)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for seq, payload := range a.rows {
		if got := seen[seq]; got != payload && seq > s.trimmed() {
			t.Fatalf("acknowledged row %d is %q, was %q", seq, got, payload)
		}
	}
	for _, id := range a.letters {
		if _, err := s.Letter(id); err != nil {
			t.Fatal(id, err)
		}
	}
}

// killChild works until it is killed and prints every acknowledgement before it goes on.
func killChild(dir string) {
	s, err := Open(dir, Options{Retention: 100, Durability: Durability(os.Getenv("LEAT_STORE_DURABILITY"))})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var workers sync.WaitGroup
	for worker := range 4 {
		workers.Go(func() { killWorker(s, worker) })
	}
	workers.Wait()
}

func killWorker(s *Store, worker int) {
	for n := 1; ; n++ {
		tag := fmt.Sprintf("%d-%d-%d", os.Getpid(), worker, n)
		rows := testRows(1 + n%40)
		for i := range rows {
			rows[i].Message.Payload = fmt.Appendf(nil, "%s/%d", tag, i)
		}
		first, err := s.Append(rows)
		last := first + runtime.Seq(len(rows)) - 1
		fmt.Printf("rows %d %d %s\n", first, last, tag)
		balance := Balance{Opened: uint64(last), Delivered: uint64(last)}
		if err == nil {
			err = s.SetCheckpoint(Checkpoint{Through: last, Balance: balance})
			fmt.Printf("checkpoint %d\n", last)
		}
		if n%7 == 0 && err == nil {
			err = s.PutLetter(DeadLetter{ID: tag, CreatedAt: time.Unix(int64(last), 0)})
			fmt.Printf("letter %s\n", tag)
		}
		if n%11 == 0 && err == nil {
			err = s.Trim(last - 50)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
