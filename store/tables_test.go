package store

import (
	"bytes"
	"testing"

	"github.com/leat-run/leat/runtime"
)

// No table spans rows and anything else, however often rows, checkpoints and trims were
// flushed together: what is flushed later lies beside the older rows, not over them.
func TestRowsHaveTablesOfTheirOwn(t *testing.T) {
	s := open(t, t.TempDir(), Options{Retention: 10})
	const rounds, each = 4, 300
	for range rounds {
		rows := testRows(each)
		first, err := s.Append(rows)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SetCheckpoint(Checkpoint{Through: first}); err != nil {
			t.Fatal(err)
		}
		if err := s.Trim(first); err != nil {
			t.Fatal(err)
		}
		if err := s.PutLetter(DeadLetter{ID: "letter", Message: rows[0].Message}); err != nil {
			t.Fatal(err)
		}
		if err := s.db.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	levels, err := s.db.SSTables()
	if err != nil {
		t.Fatal(err)
	}
	tables, ofRows := 0, 0
	for _, level := range levels {
		for _, table := range level {
			tables++
			from, to := isRow(table.Smallest.UserKey), isRow(table.Largest.UserKey)
			before := bytes.Compare(table.Largest.UserKey, kindRow.start()) < 0
			behind := bytes.Compare(table.Smallest.UserKey, kindRow.end()) >= 0
			if !from && !before && !behind {
				t.Errorf("table %s spans %q to %q", table.FileNum, table.Smallest.UserKey, table.Largest.UserKey)
			}
			if from && to {
				ofRows++
			}
		}
	}
	if ofRows == 0 || tables == ofRows {
		t.Errorf("%d tables, %d of rows: the test sees nothing", tables, ofRows)
	}
	if last := s.LastSeq(); last != runtime.Seq(rounds*each) {
		t.Errorf("%d rows", last)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func isRow(key []byte) bool { return bytes.HasPrefix(key, kindRow[:]) }
