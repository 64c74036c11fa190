package store

import (
	"encoding/binary"

	"github.com/leat-run/leat/runtime"
)

// Row is one admitted message in the spool.
type Row struct {
	// Seq is given by Append; it is ignored on the way in.
	Seq runtime.Seq
	// Node is where the message enters: out of it if it is the source that emitted the
	// message, INTO it if Inject is set.
	Node string
	// Inject says that the row was injected or replayed, and not emitted by a source. It
	// does not count for a source's watermark.
	Inject bool
	// Letter is the ID of the dead letter that this row replays; "" for none.
	Letter string
	// DeleteLetter says that the letter goes once this row is committed.
	DeleteLetter bool
	// Message is kept whole. Its Ingested is kept to the millisecond.
	Message runtime.Message
	// Fault is set on a row that the source read but could not hand on: it becomes a dead
	// letter. Its Cause is not kept.
	Fault *runtime.Failure
}

// A row's value is a header of fixed width, which the committer writes, and a body,
// which the caller of Append encodes:
//
//	format 1 | bytes before this row since the store began, 8 big-endian | body
const rowHeaderBytes = 1 + 8

func putRowHeader(dst []byte, before uint64) {
	dst[0] = rowFormat
	binary.BigEndian.PutUint64(dst[1:], before)
}

func (w *wireWriter) rowBody(row *Row) {
	w.string(row.Node)
	w.bool(row.Inject)
	w.string(row.Letter)
	w.bool(row.DeleteLetter)
	w.failure(row.Fault)
	w.message(row.Message)
}

// decodeRow reads a value whose bytes the row keeps. The row's Seq is that of its key.
func decodeRow(value []byte) (row Row, before uint64, err error) {
	r := openValue(value, rowFormat, "row")
	for range 8 {
		before = before<<8 | uint64(r.byte())
	}
	row.Node, row.Inject = r.string(), r.bool()
	row.Letter, row.DeleteLetter = r.string(), r.bool()
	row.Fault = r.failure()
	row.Message = r.message()
	return row, before, r.close()
}

// rowBytes is what a row counts for in SpoolBytes.
func rowBytes(body int) uint64 { return uint64(rowKeyBytes + rowHeaderBytes + body) }
