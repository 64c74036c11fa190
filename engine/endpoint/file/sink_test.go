package file

import (
	"bytes"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
)

// sink opens a sink that keeps its state in the bench.
func (b *bench) sink(name string, appending bool) *Sink {
	b.t.Helper()
	s, err := NewSink(engine.SinkEnv{
		Config:    pipeline.Config{"path": b.path(name), "append": appending},
		State:     b.state,
		SaveState: func(state []byte) { b.state = bytes.Clone(state) },
		Log:       slog.New(slog.NewTextHandler(&b.log, nil)),
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = s.Close() })
	return s
}

func records(texts ...string) (batch []engine.Record) {
	for _, text := range texts {
		batch = append(batch, engine.Record{Bytes: []byte(text)})
	}
	return batch
}

func (b *bench) put(s *Sink, texts ...string) {
	b.t.Helper()
	b.must(s.Write(b.t.Context(), records(texts...)))
}

func (b *bench) holds(name, want string) {
	b.t.Helper()
	got, err := os.ReadFile(b.path(name))
	if err != nil || string(got) != want {
		b.t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
	}
}

// Proves that records become lines behind what the file held, over a restart as well.
func TestSinkAppends(t *testing.T) {
	b := newBench(t)
	b.write("out", "theirs\n")
	s := b.sink("out", true)
	b.put(s, "one", "two")
	b.must(s.Close())
	b.must(s.Close())
	b.put(b.sink("out", true), "three")
	b.holds("out", "theirs\none\ntwo\nthree\n")
}

// Proves that append: false empties the file when the store is new and at no other time.
func TestSinkBeginsAnew(t *testing.T) {
	b := newBench(t)
	b.write("out", "old\n")
	s := b.sink("out", false)
	b.put(s, "one")
	b.must(s.Close())
	b.put(b.sink("out", false), "two")
	b.holds("out", "one\ntwo\n")
}

// Proves invariants 7 and 8 for every end that a file may have when it is opened.
func TestSinkRepairsTheEnd(t *testing.T) {
	for name, c := range map[string]struct {
		ours bool   // the sink wrote "one" before
		then string // and this was appended while it was closed
		want string
		told string
	}{
		"nothing":                     {true, "", "one\nnext\n", ""},
		"torn line of ours":           {true, `{"half`, "one\nnext\n", "half written"},
		"whole line, then torn":       {true, "two\n{\"half", "one\ntwo\nnext\n", "half written"},
		"whole line":                  {true, "two\n", "one\ntwo\nnext\n", ""},
		"their line without ending":   {false, "theirs", "theirs\nnext\n", "had no ending"},
		"their lines, last not ended": {false, "a\nb", "a\nb\nnext\n", "had no ending"},
		"long line without a break":   {false, strings.Repeat("x", 200_000), strings.Repeat("x", 200_000) + "\nnext\n", "had no ending"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			if c.ours {
				s := b.sink("out", true)
				b.put(s, "one")
				b.must(s.Close())
				b.add("out", c.then)
			} else {
				b.write("out", c.then)
			}
			b.log.Reset()
			b.put(b.sink("out", true), "next")
			b.holds("out", c.want)
			if c.told == "" && b.log.String() != "" || !strings.Contains(b.log.String(), c.told) {
				t.Errorf("told %q, want %q", b.log.String(), c.told)
			}
		})
	}
}

// Proves that a file which is removed or renamed while the sink runs gets a successor, and that
// one which others change keeps whole lines.
func TestSinkFollowsThePath(t *testing.T) {
	b := newBench(t)
	s := b.sink("out", true)
	b.put(s, "one")
	b.must(os.Rename(b.path("out"), b.path("out.1")))
	b.put(s, "two")
	b.must(os.Remove(b.path("out")))
	b.put(s, "three")
	b.holds("out.1", "one\n")
	b.holds("out", "three\n")
	b.add("out", "theirs, not ended")
	b.put(s, "four")
	b.holds("out", "three\ntheirs, not ended\nfour\n")
	b.write("out", "")
	b.put(s, "five")
	b.holds("out", "five\n")
}

// Proves that state which cannot be read, and a path that is no file, are errors.
func TestSinkRefuses(t *testing.T) {
	b := newBench(t)
	for path, state := range map[string]string{"out": "{", "missing/out": "", ".": ""} {
		config := pipeline.Config{"path": b.path(path), "append": true}
		if _, err := NewSink(engine.SinkEnv{Config: config, State: []byte(state)}); err == nil || !strings.Contains(err.Error(), "file sink: ") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
