package file

import (
	"os"
	"reflect"
	"testing"
	"testing/synctest"
	"time"
)

// Proves that a gzip file is followed once it has come to rest, that rotated files leave the
// state, and that what is left behind does not pile up.
func TestFollowForgetsAndRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.write("a.gz", zipped("one\n"))
		b.must(os.Chtimes(b.path("a.gz"), time.Time{}, time.Now()))
		f := follow(b, "*.gz")
		defer f.close()
		f.want(f.take())
		time.Sleep(restGzip)
		f.want(f.take(), "one")
		f.must(os.Remove(b.path("a.gz")))
		f.write("b.gz", "plain\n")
		all := f.emissions()
		f.want(texts(all), "plain")
		f.commit(f.source, all[0])
		kept, err := decodeState(b.state)
		if err != nil || len(kept.Files) != 1 || kept.Files[0].Path != b.path("b.gz") {
			t.Errorf("%+v, %v", kept, err)
		}
	})
}

// Proves that a position and a state come back as they were, and that no bytes make the decoders panic.
func FuzzPositionAndState(f *testing.F) {
	p := position{emission: 7, file: 3, mark: mark{Offset: 1 << 40, Lines: 12, Last: 300, LastSum: 9, Unended: true}}
	f.Add([]byte(p.encode()), []byte(`{"version":1,"files":[{"path":"/f","offset":3}]}`))
	f.Add([]byte{positionFormat}, []byte(`{"version":1,"files":[{"head":-1,"head_sum":"00"},{"offset":-1}]}`))
	f.Fuzz(func(t *testing.T, encoded, kept []byte) {
		if p, err := decodePosition(encoded); err == nil {
			again, err := decodePosition(p.encode())
			if err != nil || again != p {
				t.Fatalf("%+v, %v; was %+v", again, err, p)
			}
		}
		s, err := decodeState(kept)
		if err != nil || len(kept) == 0 {
			return
		}
		text, err := s.encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := decodeState(text)
		if err != nil || !reflect.DeepEqual(again, s) {
			t.Fatalf("%+v, %v; was %+v", again, err, s)
		}
	})
}

// Proves the same of a sink's state.
func FuzzExtent(f *testing.F) {
	f.Add(extent{identity: identity{Device: 1, Inode: 2}, Length: 3}.encode())
	f.Add([]byte(`{"length":-1}`))
	f.Fuzz(func(t *testing.T, kept []byte) {
		e, err := decodeExtent(kept)
		if err != nil {
			return
		}
		if again, err := decodeExtent(e.encode()); err != nil || again != e || e.Length < 0 {
			t.Fatalf("%+v, %v; was %+v", again, err, e)
		}
	})
}
