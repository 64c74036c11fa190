package file

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/leat-run/leat/engine/pipeline"
)

// Proves that a source knows the files that it reads or would read, however they are named: what
// verify refuses a sink of the same pipeline by.
func TestSourceKnowsWhatItReads(t *testing.T) {
	b := newBench(t)
	b.must(os.MkdirAll(b.path("day/one"), 0o755))
	b.write("day/in.jsonl", "")
	b.write("a[1].txt", "")
	b.must(os.MkdirAll(b.path("d[1]"), 0o755))
	b.must(os.Symlink(b.path("day"), b.path("today")))
	b.must(os.Symlink(b.path("day/in.jsonl"), b.path("link.txt")))
	b.must(os.Symlink("day/later.jsonl", b.path("dangling")))
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"day/in.jsonl", "day/in.jsonl", true},
		{"today/in.jsonl", "day/../today/in.jsonl", true},
		{"day/in.jsonl", "link.txt", true},
		{"link.txt", "day/in.jsonl", true},
		{"*.txt", "day/in.jsonl", true}, // by the link
		{"day/later.jsonl", "dangling", true},
		{"dangling", "today/later.jsonl", true},
		{"day/*.jsonl", "day/out.jsonl", true},
		{"today/*.jsonl", "day/out.jsonl", true},
		{"day/*.jsonl", "dangling", true},
		{"d*/*.jsonl", "today/out.jsonl", true},
		{"day/*/out", "day/one/out", true},
		{"missing/*", "missing/out", true},
		{"day/*.jsonl", "day/out.json", false},
		{"day/*.jsonl", "day/one/out.jsonl", false},
		{"*", "day/out.jsonl", false},
		{"a[1].txt", "a1.txt", false},
		{"a[1].txt", "a[1].txt", true},
		{"[", "out", false},
		{"d[1]/*.jsonl", "d[1]/out.jsonl", true}, // a directory that exists is no pattern
		{"d[1]/*.jsonl", "d1/out.jsonl", false},
		{"e[1]/*.jsonl", "e1/out.jsonl", true},
	} {
		config := pipeline.Config{"path": filepath.Join(b.dir, c.pattern)}
		if got := SourceSpec().Reads(config, pipeline.RealPath(b.path(c.path))); got != c.want {
			t.Errorf("%s reads %s: %v, want %v", c.pattern, c.path, got, c.want)
		}
	}
}

// Proves that a glob is one in its own elements only: a document may stand in a directory whose name
// looks like a pattern.
func TestGlobBelowADirectoryWithBrackets(t *testing.T) {
	b := newBench(t)
	for _, name := range []string{"d[1]/o-2.jsonl", "d[1]/o-1.jsonl", "d[1]/other", "d1/o-3.jsonl"} {
		b.must(os.MkdirAll(filepath.Dir(b.path(name)), 0o755))
		b.write(name, "")
	}
	found, err := match(b.path("d[1]/o-*.jsonl"))
	if want := []string{b.path("d[1]/o-1.jsonl"), b.path("d[1]/o-2.jsonl")}; err != nil || !slices.Equal(found, want) {
		t.Errorf("%v %v, want %v", found, err, want)
	}
}
