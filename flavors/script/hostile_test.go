package script

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// hostileScript is one file of testdata/hostile: a script that burns time or memory in
// natives, nests too deep, or attacks what comes after it. Its first lines are
//
//	// kind: fuel            how it ends: a kind of failure, or value. Where memory and fuel stand
//	//                       there, either: what is held is sampled, by the clock
//	// allow: bigint         what the node opts in to, if anything
//
// A message {"ok":true} comes back as it is.
type hostileScript struct {
	name, source, kind string
	allow              []string
}

func hostileScripts() (all []hostileScript) {
	paths, _ := filepath.Glob("testdata/hostile/*.js")
	slices.Sort(paths)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			panic(err)
		}
		h := hostileScript{name: strings.TrimSuffix(filepath.Base(path), ".js"), source: string(text)}
		for line := range strings.Lines(h.source) {
			if kind, ok := strings.CutPrefix(line, "// kind: "); ok {
				h.kind = strings.TrimSpace(kind)
			}
			if allow, ok := strings.CutPrefix(line, "// allow: "); ok {
				h.allow = strings.Fields(allow)
			}
		}
		all = append(all, h)
	}
	return all
}

// TestHostile proves that every hostile script ends as the kind that its file names, that
// the process lives, and that the next message on the same worker is fine. It runs them in
// a child process that is limited in address space: a hole kills the child, and is named.
func TestHostile(t *testing.T) {
	scripts := hostileScripts()
	if from := os.Getenv("LEAT_HOSTILE"); from != "" {
		runHostile(scripts, from)
		return
	}
	if testing.Short() {
		t.Skip("a child process per batch")
	}
	if len(scripts) < 224 {
		t.Errorf("only %d scripts", len(scripts))
	}
	limit := "ulimit -v 4000000; "
	if raceEnabled {
		limit = "" // the race detector reserves more
	}
	for shard := range hostileShards {
		t.Run(strconv.Itoa(shard), func(t *testing.T) {
			t.Parallel()
			for next := shard; next < len(scripts); {
				cmd := exec.Command("/bin/sh", "-c", limit+"exec \"$0\" -test.run '^TestHostile$'", os.Args[0])
				cmd.Env = append(os.Environ(), "LEAT_HOSTILE="+strconv.Itoa(next))
				cmd.WaitDelay = time.Second
				out, _ := cmd.Output()
				for line := range strings.SplitSeq(string(out), "\n") {
					if strings.HasPrefix(line, "BAD ") {
						t.Error(line)
					}
				}
				if next += hostileShards * strings.Count(string(out), "\nended "); next < len(scripts) {
					t.Errorf("the process died or hung in %s", scripts[next].name)
					next += hostileShards
				}
			}
		})
	}
}

// hostileShards is how many children run at once; each takes every n-th script.
const hostileShards = 2

// runHostile is the child: one line after each script. A script that does not end ends it.
func runHostile(scripts []hostileScript, from string) {
	start, _ := strconv.Atoi(from)
	for i := start; i < len(scripts); i += hostileShards {
		h := scripts[i]
		watchdog := time.AfterFunc(35*time.Second, func() { os.Exit(3) })
		started := time.Now()
		outcome := h.run()
		watchdog.Stop()
		os.Stdout.WriteString("\nended " + h.name + " after " + time.Since(started).Round(time.Millisecond).String() + " as " + outcome)
	}
	os.Stdout.WriteString("\n")
}

// run returns the kind in which the script ended, with a line for each thing that is wrong.
func (h *hostileScript) run() string {
	w, err := tryLoad(h.source, func(s *runtime.Settings) {
		s.Allow = h.allow
		s.Budget.Fuel = 3_000_000
		if s.Budget.Timeout = 30 * time.Second; h.kind == string(runtime.KindTimeout) {
			s.Budget.Timeout = 300 * time.Millisecond
		}
	})
	if err != nil {
		return h.check(err)
	}
	defer w.Close()
	_, err = apply(w, `{"a":[1,2,3]}`)
	outcome := h.check(err)
	if r, err := apply(w, `{"ok":true}`); err != nil || len(r.Out) != 1 || string(r.Out[0].Payload) != `{"ok":true}` {
		outcome += "\nBAD " + h.name + " broke the next message"
	}
	return outcome
}

func (h *hostileScript) check(err error) string {
	kind := "value"
	var f *runtime.Failure
	if errors.As(err, &f) {
		kind = string(f.Kind)
	} else if err != nil {
		kind = "untyped"
	}
	if slices.Contains(strings.Fields(h.kind), kind) {
		return kind
	}
	said := ""
	if err != nil {
		said = ": " + runtime.Cut(strings.ReplaceAll(err.Error(), "\n", " "), 300)
	}
	return kind + "\nBAD " + h.name + " ended as " + kind + ", want " + h.kind + said
}
