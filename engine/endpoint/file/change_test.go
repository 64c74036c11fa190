package file

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/leat-run/leat/engine"
)

// numbered are so many lines of eight bytes.
func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "%07d\n", i)
	}
	return b.String()
}

// disturbed reads a file of 40,000 lines in batch mode, to which change happens after the first group.
func (b *bench) disturbed(change func()) (got []string, err error) {
	b.write("f", numbered(0, 40_000))
	err = b.source("f").Run(b.t.Context(), func(_ context.Context, group []engine.Emission) error {
		if got = append(got, texts(group)...); change != nil {
			change()
			change = nil
		}
		return nil
	})
	return got, err
}

// Proves that a file which shrinks, is written anew or is replaced under a batch ends the source with an
// error that says so, and that no line is emitted which the file never held.
func TestBatchSeesItsFileChange(t *testing.T) {
	b := newBench(t)
	cut := func(size int64) func() { return func() { b.must(os.Truncate(b.path("f"), size)) } }
	for name, c := range map[string]struct {
		change func()
		want   string
		all    bool // the whole old file was read
	}{
		"cut within a line":         {cut(200_003), "shrank from 320000 to 200003 bytes while it was read", false},
		"cut behind what was read":  {cut(300_004), "shrank from 320000 to 300004 bytes while it was read", false},
		"cut before what was read":  {cut(11), "shrank from 320000 to 11 bytes while it was read", false},
		"emptied":                   {cut(0), "shrank from 320000 to 0 bytes while it was read", false},
		"written anew, and shorter": {func() { b.write("f", "other\n") }, "shrank from 320000 to 6 bytes while it was read", false},
		"written anew, and longer": {func() { b.write("f", strings.Repeat("other line\n", 40_000)) },
			"was written anew while it was read", false},
		"replaced": {func() {
			b.write("g", "new\n")
			b.must(os.Rename(b.path("g"), b.path("f")))
		}, "was replaced while it was read", true},
		"removed":   {func() { b.must(os.Remove(b.path("f"))) }, "", true},
		"renamed":   {func() { b.must(os.Rename(b.path("f"), b.path("g"))) }, "", true},
		"unchanged": {nil, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			b.t = t
			got, err := b.disturbed(c.change)
			if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), b.path("f")+" "+c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if c.all && len(got) != 40_000 || !c.all && len(got) >= 40_000 {
				t.Errorf("%d lines were read", len(got))
			}
			for i, text := range got {
				if text != fmt.Sprintf("%07d", i) {
					t.Fatalf("line %d is %q", i, text)
				}
			}
		})
	}
}

// Proves that a file which grows under a batch is no fault, and that one which is cut again is.
func TestBatchReadsAGrowingFile(t *testing.T) {
	b := newBench(t)
	got, err := b.disturbed(func() { b.add("f", numbered(40_000, 50_000)) })
	if err != nil || len(got) != 50_000 {
		t.Error(len(got), err)
	}
	grown := 0
	b.write("f", numbered(0, 40_000))
	err = b.source("f").Run(t.Context(), func(_ context.Context, group []engine.Emission) error {
		if grown++; grown == 1 {
			b.add("f", numbered(40_000, 50_000))
		} else if grown == 3 {
			b.must(os.Truncate(b.path("f"), 360_001))
		}
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "shrank from 400000 to 360001 bytes") {
		t.Error(err)
	}
}

// Proves that a gzip file that is cut is told as cut, not as a broken message.
func TestBatchSeesAGzipFileShrink(t *testing.T) {
	b := newBench(t)
	b.write("f.gz", strings.Repeat(zipped(numbered(0, 3000)), 100))
	var got []string
	err := b.source("f.gz").Run(t.Context(), func(_ context.Context, group []engine.Emission) error {
		if got == nil {
			b.must(os.Truncate(b.path("f.gz"), 300_000))
		}
		got = append(got, texts(group)...)
		return nil
	})
	if !errors.Is(err, ErrChanged) || strings.Contains(strings.Join(got, " "), "FAULT") {
		t.Error(err)
	}
}

// Proves that after such an end the next run reads the file from its beginning.
func TestBatchStartsAnewAfterAChange(t *testing.T) {
	b := newBench(t)
	b.write("f", numbered(0, 1000))
	s := b.source("f")
	err := s.Run(t.Context(), func(_ context.Context, group []engine.Emission) error {
		b.commit(s, group[len(group)-1])
		b.write("f", "one\ntwo\n")
		return nil
	})
	if !errors.Is(err, ErrChanged) {
		t.Error(err)
	}
	b.want(b.read("f"), "one", "two")
	b.logged("not what it was")
}
