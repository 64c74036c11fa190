package store

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/leat-run/leat/runtime"
)

var freeze = flag.Bool("freeze", false, "write the frozen stores anew; only before a release has them")

const frozenDir = "../testdata/stores/v001"

// A store that format 1 wrote opens for ever, with every value as it was written. The
// store was closed after its rows were flushed and more were appended, so that tables and
// a log are both read. A change that breaks this needs a new format byte beside the old.
func TestFrozenStoreV001Opens(t *testing.T) {
	if *freeze {
		writeFrozen(t)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(frozenDir)); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, Options{BallastBytes: -1})
	checkpoint, err := s.Checkpoint()
	same(t, frozenCheckpoint(), checkpoint, err)
	if s.LastSeq() != 4 || s.SpoolRows() != 3 {
		t.Fatal(s.LastSeq(), s.SpoolRows())
	}
	for seq, want := range map[int]Row{2: richRow(), 4: testRows(1)[0]} {
		row, err := s.ReadRow(frozenSeq(seq))
		want.Seq = frozenSeq(seq)
		same(t, want, row, err)
	}
	letter, err := s.Letter("id")
	same(t, richLetter(), letter, err)
	state, err := s.NodeState("in")
	same(t, "place", string(state), err)
}

func writeFrozen(t *testing.T) {
	if err := os.RemoveAll(frozenDir); err != nil {
		t.Fatal(err)
	}
	s := open(t, frozenDir, Options{BallastBytes: -1})
	l := richLetter()
	_, appendErr := s.Append([]Row{testRows(1)[0], richRow()})
	for _, err := range []error{
		appendErr, s.PutLetter(l), s.SetNodeState("in", 1, []byte("place")), s.db.Flush(),
		s.SetCheckpoint(Checkpoint{Through: 1, Balance: frozenCheckpoint().Balance}), s.Trim(1),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Append(append(testRows(1), testRows(1)...)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(frozenDir, leaseName)); err != nil {
		t.Fatal(err)
	}
}

func frozenSeq(n int) runtime.Seq { return runtime.Seq(n) }

func frozenCheckpoint() Checkpoint {
	return Checkpoint{Through: 1, Balance: Balance{
		Opened: 28, Delivered: 7, Null: 6, NoOutput: 5, NoMatch: 4,
		Dropped: 3, DeadLettered: 2, Orphaned: 1,
	}}
}

const (
	frozenLogDir    = "../testdata/stores/v002"
	frozenRetention = 80 // one record, not two
)

// A log that format 1 of its nouns wrote opens for ever, in the same way.
func TestFrozenLogV002Opens(t *testing.T) {
	if *freeze {
		writeFrozenLog(t)
	}
	dir := t.TempDir()
	noError(t, os.CopyFS(dir, os.DirFS(frozenLogDir)))
	l := openLog(t, dir, Options{BallastBytes: -1})
	checkRichStep(t, l)
	c, _ := l.Topic("c")
	if c.Extents[0].Start != 2 || c.Extents[0].End != 3 || c.RetentionBytes != frozenRetention {
		t.Errorf("topic c is %+v", c)
	}
	if got := readValues(t, l, c.ID, 0, 2); len(got) != 1 || got[0] != "2" {
		t.Errorf("topic c holds %q", got)
	}
}

func writeFrozenLog(t *testing.T) {
	noError(t, os.RemoveAll(frozenLogDir))
	l := openLog(t, frozenLogDir, Options{BallastBytes: -1})
	a, b := createTopic(t, l, TopicSpec{Name: "a", Partitions: 2}), createTopic(t, l, TopicSpec{Name: "b", Partitions: 1})
	c := createTopic(t, l, TopicSpec{Name: "c", Partitions: 1, RetentionBytes: frozenRetention})
	writeRichStep(t, l, a, b)
	appendValues(t, l, c.ID, 0, "0", "1")
	noError(t, l.db.Flush())
	appendValues(t, l, c.ID, 0, "2")
	_, err := l.Retain()
	noError(t, err)
	noError(t, l.Close(), os.Remove(filepath.Join(frozenLogDir, leaseName)))
}
