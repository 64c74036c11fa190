package file

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leat-run/leat/engine"
)

func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

// hashes are lines that do not compress well, so that a cut falls anywhere in them.
func hashes(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "%d %x\n", i, sha256.Sum256([]byte{byte(i)}))
	}
	return text.String()
}

// Proves C52: all members are read; a broken file gives what stands before the fault and one
// dead letter, once, and the next file is read.
func TestC52Gzip(t *testing.T) {
	b := newBench(t)
	b.write("a.gz", zipped("one\ntw")+zipped("o\nthree\n"))
	s := b.source("a.gz")
	all := b.run(s)
	b.want(texts(all), "one", "two", "three")
	b.commit(s, all[1])
	b.want(b.read("a.gz"), "three")

	b.state = nil
	b.write("b1.gz", zipped("one\n")[:5])
	b.write("b2.gz", zipped("one\nhalf")+"garbage behind it")
	b.write("b3.gz", zipped("fine\n"))
	b.want(b.read("b*"), "FAULT ", "one", "FAULT half", "fine")
	b.want(b.read("b*"))
	b.logged("gzip file is broken")
	b.write("b1.gz", zipped("one\ntwo\n"))
	b.want(b.read("b*"), "one", "two")
}

// Proves C53: the magic decides, and it is said.
func TestC53Misnamed(t *testing.T) {
	b := newBench(t)
	b.write("plain.gz", "text\n")
	b.write("zipped", zipped("zipped text\n"))
	b.want(b.read("plain.gz"), "text")
	b.logged("the content decides, not the name")
	b.log.Reset()
	b.want(b.read("zipped"), "zipped text")
	b.logged("the content decides, not the name")
}

// Proves that a gzip file that was cut and is completed later goes on behind its last whole line: at
// whatever byte it was cut, every line comes once, with the ID that it has in the whole file, and the
// line that was cut is a dead letter in between.
func TestC52CutGzipIsCompleted(t *testing.T) {
	text := hashes(40)
	half := strings.LastIndex(text[:1500], "\n") + 1
	whole := zipped(text[:half]) + zipped(text[half:]+"no ending")
	ids := func(all []engine.Emission) (out []string) {
		for _, e := range all {
			if e.Fault == nil {
				out = append(out, e.ID+" "+string(e.Payload))
			}
		}
		return out
	}
	b := newBench(t)
	b.write("f.gz", whole)
	want := ids(b.run(b.source("f.gz")))
	for cut := len(gzipMagic); cut < len(whole); cut++ { // with less it is no gzip file yet
		b := newBench(t)
		b.write("f.gz", whole[:cut])
		s := b.source("f.gz")
		first := b.run(s)
		b.commit(s, first[len(first)-1])
		b.want(b.read("f.gz")) // nothing twice while it stays as it is
		if cut%2 == 0 {        // it is completed in place, or by another file of its name
			b.must(os.Remove(b.path("f.gz")))
		}
		b.write("f.gz", whole)
		got := append(ids(first), ids(b.run(b.source("f.gz")))...)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("cut at byte %d of %d:\n got %.300q\nwant %.300q", cut, len(whole), got, want)
		}
	}
}

// Proves that only the same content is completed: a gzip file that was broken otherwise, that became
// shorter, or that was made anew is read from its beginning, and that is told.
func TestC52OtherGzipIsReadAnew(t *testing.T) {
	text := strings.Repeat("one and the same line\n", 2000) + "two\n"
	long := hashes(100)
	flipped := []byte(zipped(long))
	flipped[len(flipped)-6] ^= 1 // of the checksum
	for name, c := range map[string]struct{ before, after, first string }{
		"a wrong checksum, repaired": {string(flipped), zipped(long) + zipped("three\n"), long[:strings.Index(long, "\n")]},
		"cut, then cut more":         {zipped(text)[:100], zipped(text)[:90], "one and the same line"},
		"cut, then made anew":        {zipped("a\nb\n")[:20], zipped("a\nc\nb\n"), "a"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.write("f.gz", c.before)
			b.read("f.gz")
			b.write("f.gz", c.after)
			if got := b.read("f.gz"); len(got) == 0 || got[0] != c.first {
				t.Errorf("read %.100q", got)
			}
			b.logged("is not what it was")
		})
	}
}

// Proves the same while files are followed: one that was cut goes on once it is longer and has come to
// rest, whether it was completed in place or replaced; one that was broken otherwise is read anew.
func TestC52CutGzipIsCompletedWhileFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		whole := zipped(hashes(3))
		lines := strings.Split(strings.TrimSpace(hashes(3)), "\n")
		write := func(name, text string) {
			b.t.Helper()
			b.write(name, text)
			b.must(os.Chtimes(b.path(name), time.Time{}, time.Now())) // the file system's clock is not the test's
		}
		write("a.gz", whole[:len(whole)/2])
		write("b.gz", whole[:len(whole)/2])
		write("c.gz", zipped("x\n")+"garbage behind it")
		f := follow(b, "*.gz")
		defer f.close()
		time.Sleep(restGzip)
		var first []string
		for _, e := range f.emissions() {
			if e.Fault == nil {
				first = append(first, string(e.Payload))
			}
		}
		f.want(first, lines[0], lines[0], "x")
		f.want(f.take())

		write("a.gz", whole)
		b.must(os.Remove(b.path("b.gz")))
		write("b.gz", whole)
		write("c.gz", zipped("x\ny\n"))
		f.want(f.take())
		time.Sleep(restGzip)
		f.want(f.take(), lines[1], lines[2], lines[1], lines[2], "x", "y")
		f.want(f.take())
	})
}

// Proves that start: end passes over what a gzip file holds and that the file is not taken for a broken one.
func TestStartEndOfGzip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.write("a.gz", zipped("old\nhalf"))
		b.must(os.Chtimes(b.path("a.gz"), time.Time{}, time.Now().Add(-restGzip)))
		b.write("b", "old\n")
		f := follow(b, "*", "start", "end")
		f.want(f.take())
		f.add("b", "new\n")
		all := f.emissions()
		f.want(texts(all), "new")
		f.commit(f.source, all[0])
		f.close()
		b.add("a.gz", zipped(" line\nwhole\n"))
		b.want(b.read("*"), "whole")
	})
}
