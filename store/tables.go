package store

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
)

// mergeAfter is Pebble's L0CompactionThreshold: half as many tables on top of each other are
// merged. A trim puts one over the rows that it gives up; merged later, several of them drop
// their rows in one go, and the rows behind them are left alone.
const mergeAfter = 8

// layTables says how rows lie on the disk.
func layTables(o *pebble.Options) {
	o.Experimental.SpanPolicyFunc = rowTables
	o.L0CompactionThreshold = mergeAfter
	for i := range o.Levels {
		o.Levels[i].BlockSize = 32 << 10
		o.Levels[i].Compression = func() *sstable.CompressionProfile { return sstable.SnappyCompression }
	}
}

// rowTables has flushes and compactions keep the rows in tables of their own. Each flush also
// has the checkpoint, whose key is before all rows, and the trim mark, whose key is behind
// them: a table that held one of them beside its rows would span every older row, and to merge
// it would mean to write them all again. With a million rows outstanding that cost more than
// to write them.
func rowTables(from []byte) (policy pebble.SpanPolicy, end []byte, err error) {
	switch {
	case bytes.Compare(from, kindRow.start()) < 0:
		return policy, kindRow.start(), nil
	case bytes.Compare(from, kindRow.end()) < 0:
		return policy, kindRow.end(), nil
	}
	return policy, nil, nil
}
