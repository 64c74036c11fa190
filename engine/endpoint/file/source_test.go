package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/endpoint/lines"
	"github.com/leat-run/leat/engine/pipeline"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is one directory with files, the state that a source keeps, and what it logged.
type bench struct {
	t     *testing.T
	dir   string
	state []byte
	log   journal
}

// journal is a log that may be read while it is written.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func (j *journal) Reset() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.text.Reset()
}

func newBench(t *testing.T) *bench { return &bench{t: t, dir: t.TempDir()} }

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

func (b *bench) write(name, text string) {
	b.t.Helper()
	if err := os.WriteFile(b.path(name), []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) add(name, text string) {
	b.t.Helper()
	f, err := os.OpenFile(b.path(name), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) source(pattern string, set ...any) *Source {
	b.t.Helper()
	config := pipeline.Config{"path": b.path(pattern), "start": "beginning", "mode": "batch", "max_line": int64(1 << 20)}
	for i := 0; i < len(set); i += 2 {
		config[set[i].(string)] = set[i+1]
	}
	s, err := NewSource(engine.SourceEnv{Config: config, State: b.state, Log: slog.New(slog.NewTextHandler(&b.log, nil))})
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// run reads everything and returns the emissions without committing any.
func (b *bench) run(s *Source) (all []engine.Emission) {
	b.t.Helper()
	err := s.Run(b.t.Context(), func(_ context.Context, group []engine.Emission) error {
		all = append(all, group...)
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return all
}

func (b *bench) commit(s *Source, e engine.Emission) {
	b.t.Helper()
	state, err := s.Commit(b.t.Context(), e.Position)
	if err != nil {
		b.t.Fatal(err)
	}
	b.state = state
}

// read runs a new source to the end, commits all and returns the texts.
func (b *bench) read(pattern string, set ...any) []string {
	b.t.Helper()
	s := b.source(pattern, set...)
	all := b.run(s)
	if len(all) > 0 {
		b.commit(s, all[len(all)-1])
	}
	return texts(all)
}

func (b *bench) want(got []string, want ...string) {
	b.t.Helper()
	if !reflect.DeepEqual(got, want) && len(got)+len(want) > 0 {
		b.t.Errorf("\n got %.200q\nwant %.200q\n%s", got, want, b.log.String())
	}
}

func (b *bench) logged(text string) {
	b.t.Helper()
	if !strings.Contains(b.log.String(), text) {
		b.t.Errorf("%q was not logged, but:\n%s", text, b.log.String())
	}
}

func texts(all []engine.Emission) (out []string) {
	for _, e := range all {
		text := string(e.Payload)
		if e.Fault != nil {
			text = "FAULT " + text
		}
		out = append(out, text)
	}
	return out
}

// Proves C46 to C50 through the source: what a line is.
func TestC46ToC50Lines(t *testing.T) {
	b := newBench(t)
	b.write("bom", "\xEF\xBB\xBF{\"a\":1}\n\xEF\xBB\xBFx\n")
	b.want(b.read("bom"), `{"a":1}`, "\xEF\xBB\xBFx")
	b.write("crlf", "{\"a\":1}\r\n{\"a\":2}\r\nx\ry\n")
	b.want(b.read("crlf"), `{"a":1}`, `{"a":2}`, "x\ry")
	b.write("empty", "\n\n{\"a\":1}\n\r\n")
	b.want(b.read("empty"), `{"a":1}`)
	b.logged("empty lines were skipped")
	b.logged("lines=3")
	b.write("bytes", "\xff\xfea\n")
	b.want(b.read("bytes"), "\xff\xfea")
	b.write("open", "foo\nbar")
	b.want(b.read("open"), "foo", "bar")
	b.write("nothing", "")
	b.want(b.read("nothing"))
}

// Proves C51: only the over-long line is a fault, with its first bytes and both numbers.
func TestC51LongLine(t *testing.T) {
	b := newBench(t)
	long := strings.Repeat("x", 65537)
	b.write("long", "one\n"+long+"\nthree\n")
	b.want(b.read("long"), "one", long, "three")
	b.state = nil
	s := b.source("long", "max_line", int64(65536))
	all := b.run(s)
	b.want(texts(all), "one", "FAULT "+long[:65536], "three")
	if len(all) != 3 {
		t.FailNow()
	}
	if f := all[1].Fault; f.Measured != 65537 || f.Limit != 65536 || !strings.Contains(f.Message, "long line 2 is 65537 bytes long") {
		t.Errorf("%+v", f)
	}
}

// Proves that a restart goes on behind the last commit, with the same IDs for what is
// read again.
func TestResumeAfterCommit(t *testing.T) {
	b := newBench(t)
	for i, name := range []string{"a", "b", "c"} {
		b.write(name, fmt.Sprintf("%[1]d1\n\n%[1]d2\n%[1]d3", i))
	}
	s := b.source("?")
	first := b.run(s)
	b.want(texts(first), "01", "02", "03", "11", "12", "13", "21", "22", "23")
	for at, e := range first {
		b.state = nil
		s := b.source("?")
		b.run(s)
		b.commit(s, e)
		again := b.run(b.source("?"))
		b.want(texts(again), texts(first[at+1:])...)
		for i, e := range again {
			if want := first[at+1+i].ID; e.ID != want || want == "" {
				t.Errorf("ID %q, was %q", e.ID, want)
			}
		}
	}
}

// Proves that what is written to a file between two runs is read by the second, also where the
// first ended inside a line.
func TestResumeGrownFile(t *testing.T) {
	b := newBench(t)
	b.write("f", "one\ntwo")
	b.want(b.read("f"), "one", "two")
	b.want(b.read("f"))
	b.add("f", "\nthree\n")
	b.want(b.read("f"), "three")
	b.add("f", "four\r")
	b.want(b.read("f"), "four\r")
	b.add("f", "\nfive\n")
	b.want(b.read("f"), "five")
	b.want(b.read("f"))
}

// Proves invariant 2: a file with other content is told and read from the beginning, the same
// content is resumed wherever it is.
func TestResumeOnlySameContent(t *testing.T) {
	head := strings.Repeat("h", 2000) + "\n"
	for name, c := range map[string]struct {
		change func(*bench)
		want   []string
		told   bool
	}{
		"rewritten in place": {func(b *bench) { b.write("f", "other\nlines\n") }, []string{"other", "lines"}, true},
		"same head, other lines": {func(b *bench) { b.write("f", head+"xxx\nyyy\nzzz\n") },
			[]string{head[:2000], "xxx", "yyy", "zzz"}, true},
		"truncated": {func(b *bench) { b.write("f", head) }, []string{head[:2000]}, true},
		"renamed":   {func(b *bench) { b.must(os.Rename(b.path("f"), b.path("f1"))) }, []string{"three"}, false},
		"copied": {func(b *bench) {
			b.must(os.Rename(b.path("f"), b.path("gone")))
			b.write("f", head+"one\ntwo\nthree\n")
			b.must(os.Remove(b.path("gone")))
		}, []string{"three"}, false},
		"replaced": {func(b *bench) {
			b.must(os.Rename(b.path("f"), b.path("f.old.not-matched")))
			b.write("f", "new\n")
		}, []string{"new"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.write("f", head+"one\ntwo\nthree\n")
			s := b.source("f")
			b.commit(s, b.run(s)[2])
			c.change(b)
			pattern := "f"
			if name == "renamed" {
				pattern = "f?"
			}
			b.want(b.read(pattern), c.want...)
			if told := strings.Contains(b.log.String(), "not what it was"); told != c.told {
				t.Errorf("told: %v\n%s", told, b.log.String())
			}
		})
	}
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// Proves that start: end reads what comes later only, from a line's beginning.
func TestStartEnd(t *testing.T) {
	b := newBench(t)
	b.write("f", "old\nhalf")
	s := b.source("f", "start", "end")
	b.want(texts(b.run(s)))
	b.add("f", " line\nnew\n")
	s = b.source("f", "start", "end")
	b.want(texts(b.run(s)))
	b.add("f", "newer\n")
	b.want(b.read("f", "start", "beginning"), "old", "half line", "new", "newer")
}

// Proves that a run which began at the end and was over before its first commit has begun all the same: the
// next one reads what came meanwhile.
func TestStartEndIsKept(t *testing.T) {
	b := newBench(t)
	b.write("f", "old\nhalf")
	b.write("f.gz", zipped("old\n"))
	s := b.source("f*", "start", "end")
	began, err := s.Start(t.Context())
	if err != nil || began == nil {
		t.Fatal(began, err)
	}
	b.want(texts(b.run(s)))
	b.state = began
	b.add("f", " line\nnew\n")
	b.add("f.gz", zipped("zipped\n"))
	s = b.source("f*", "start", "end")
	if again, err := s.Start(t.Context()); again != nil || err != nil {
		t.Error(string(again), err)
	}
	b.want(texts(b.run(s)), "new", "zipped")
}

// Proves that the line inside of which start: end began is passed over by a later run too.
func TestStartEndInsideALineIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.write("a", "old\nhalf")
		b.write("b", "old\n")
		f := follow(b, "?", "start", "end")
		f.add("b", "new\n")
		all := f.emissions()
		f.want(texts(all), "new")
		f.commit(f.source, all[0])
		f.close()
		b.add("a", " line\nwhole\n")
		b.want(b.read("?"), "whole")
		b.want(b.read("?"))
	})
}

// Proves that brackets in an existing name are no glob, that a directory is refused and that
// nothing to read is an error.
func TestPaths(t *testing.T) {
	b := newBench(t)
	b.write("a[1].txt", "x\n")
	b.want(b.read("a[1].txt"), "x")
	for path, want := range map[string]string{"missing": "no file matches", "[": "syntax error"} {
		_, err := NewSource(engine.SourceEnv{Config: pipeline.Config{
			"path": b.path(path), "start": "beginning", "mode": "batch", "max_line": int64(1)}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	err := b.source(".").Run(t.Context(), nil)
	if err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
}

// Proves that groups are bounded, that a refused group ends Run with the refusal, and that
// progress ends at the whole.
func TestGroupsAndProgress(t *testing.T) {
	b := newBench(t)
	b.write("f", strings.Repeat("line\n", 1000))
	s := b.source("f")
	var sizes []int
	b.must(s.Run(t.Context(), func(_ context.Context, group []engine.Emission) error {
		sizes = append(sizes, len(group))
		return nil
	}))
	if want := []int{256, 256, 256, 232}; !reflect.DeepEqual(sizes, want) {
		t.Errorf("groups of %v, want %v", sizes, want)
	}
	if read, total := s.Progress(); read != 5000 || total != 5000 {
		t.Errorf("progress %d of %d", read, total)
	}
	refused := errors.New("refused")
	if err := b.source("f").Run(t.Context(), func(context.Context, []engine.Emission) error { return refused }); !errors.Is(err, refused) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.source("f").Run(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Proves that commits may skip positions and come late, and that a strange position or state is an
// error, not a panic.
func TestCommitSkipsAndRefuses(t *testing.T) {
	b := newBench(t)
	b.write("a", "a1\na2\n\n")
	b.write("b", "b1\nb2\n")
	s := b.source("?")
	all := b.run(s)
	b.commit(s, all[3])
	b.commit(s, all[0]) // an older one changes nothing
	b.want(b.read("?"))
	for _, p := range [][]byte{nil, {1}, make([]byte, positionBytes), append([]byte{1}, bytes.Repeat([]byte{0xff}, positionBytes-1)...)} {
		if _, err := s.Commit(t.Context(), p); err == nil {
			t.Errorf("position %x was taken", p)
		}
	}
	for _, state := range []string{"{", `{"version":9}`} {
		if _, err := NewSource(engine.SourceEnv{State: []byte(state)}); err == nil {
			t.Errorf("state %s was taken", state)
		}
	}
}

// Proves that what is committed while the first of several files is read keeps the places of those
// that this run has not come to: they are not read again.
func TestCommitKeepsFilesThatAreStillToCome(t *testing.T) {
	b := newBench(t)
	b.write("a", "a1\n")
	b.write("b", "b1\nb2\n")
	b.write("c", "c1\n")
	b.want(b.read("?"), "a1", "b1", "b2", "c1")
	b.must(os.Rename(b.path("c"), b.path("d"))) // is known by what it is
	b.add("a", strings.Repeat("more\n", 300))
	stopped := errors.New("stopped")
	s := b.source("?")
	err := s.Run(t.Context(), func(_ context.Context, group []engine.Emission) error {
		b.commit(s, group[len(group)-1])
		return stopped
	})
	if !errors.Is(err, stopped) {
		t.Fatal(err)
	}
	b.want(b.read("?"), slices.Repeat([]string{"more"}, 300-lines.GroupLines)...)
	b.want(b.read("?"))
}
