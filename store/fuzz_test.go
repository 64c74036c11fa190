package store

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// richMessage has every field set, in the forms that are easy to lose.
func richMessage() runtime.Message {
	return runtime.Message{
		ID: "m-1", Key: []byte{}, Payload: []byte{0, 255}, Codec: "avro", Source: "in",
		Meta:     runtime.Meta{"": "empty name", "leat.is_replay": "true"},
		Ingested: time.UnixMilli(-1).UTC(),
	}
}

func richFailure() *runtime.Failure {
	return &runtime.Failure{
		Kind: runtime.KindFuel, Deterministic: true, Message: "m", Hint: "h", Backtrace: "b", File: "f",
		Line: 1, Column: 2, Excerpt: "e", Measured: 3, Limit: 2, Log: "l",
	}
}

func richRow() Row {
	return Row{
		Node: "enrich", Inject: true, Letter: "x", DeleteLetter: true,
		Message: richMessage(), Fault: richFailure(),
	}
}

func richLetter() DeadLetter {
	return DeadLetter{
		ID: "id", Pipeline: "p", Node: "n", Edge: "a->n", Flavor: "script", Class: ClassTransform,
		Failure: richFailure(), Reason: "r", Attempts: 4, SpoolSeq: 9, RunID: "run",
		CreatedAt: time.Unix(5, 7).UTC(), FailedAt: time.Unix(6, 8).UTC(), CodeDigest: "sha256:0",
		Usage:       runtime.Usage{Fuel: 1, Duration: 2, Memory: 3},
		ReplayCount: 5, Quarantined: true, Message: richMessage(), PayloadLength: 1 << 40,
	}
}

// richCheckpoint has another number in every count, so that a swap shows.
func richCheckpoint() Checkpoint {
	c := Checkpoint{Through: 77}
	for i, field := range c.Balance.Counts() {
		*field = uint64(i + 1)
	}
	return c
}

func encodeRow(row Row, before uint64) []byte {
	w := wireWriter{buf: make([]byte, rowHeaderBytes)}
	putRowHeader(w.buf, before)
	w.rowBody(&row)
	return w.buf
}

// same fails unless what decoded is equal to what its encoding decodes to.
func same[T any](t *testing.T, got, again T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal("an encoded value does not decode:", err)
	}
	if !reflect.DeepEqual(got, again) {
		t.Fatalf("round trip\n%+v\n%+v", got, again)
	}
}

// Values survive the way to the disk and back whole, and every field is covered: a field
// that is added to a noun and not to its encoding is zero here and fails.
func TestValuesRoundTripWhole(t *testing.T) {
	row, before, err := decodeRow(encodeRow(richRow(), 1<<40))
	same(t, richRow(), row, err)
	if before != 1<<40 {
		t.Fatal(before)
	}
	l := richLetter()
	letter, err := readLetter(letterKey(l.CreatedAt, l.ID), encodeLetter(&l))
	same(t, l, letter, err)
	checkpoint, err := decodeCheckpoint(encodeCheckpoint(richCheckpoint()))
	same(t, richCheckpoint(), checkpoint, err)
	for _, noun := range []any{row, letter, checkpoint, checkpoint.Balance, *letter.Failure, letter.Message, letter.Usage} {
		allSet(t, noun)
	}
}

func allSet(t *testing.T, noun any) {
	t.Helper()
	v := reflect.ValueOf(noun)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if v.Field(i).IsZero() && name != "Seq" && name != "Cause" {
			t.Errorf("%s.%s is not stored, or not in this test", v.Type(), name)
		}
	}
}

// No bytes make the decoder of rows panic or take more memory than they are long, and
// what it accepts means the same after one more round.
func FuzzDecodeRow(f *testing.F) {
	f.Add(encodeRow(richRow(), 5))
	f.Add(encodeRow(testRows(1)[0], 0))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, value []byte) {
		row, before, err := decodeRow(bytes.Clone(value))
		if err != nil {
			return
		}
		again, beforeAgain, err := decodeRow(encodeRow(row, before))
		same(t, row, again, err)
		same(t, before, beforeAgain, nil)
	})
}

// The same for dead letters, with their keys.
func FuzzDecodeLetter(f *testing.F) {
	l := richLetter()
	f.Add(letterKey(l.CreatedAt, l.ID), encodeLetter(&l))
	f.Add([]byte("let"), []byte{letterFormat})
	f.Fuzz(func(t *testing.T, key, value []byte) {
		l, err := readLetter(key, bytes.Clone(value))
		if err != nil {
			return
		}
		again, err := readLetter(letterKey(l.CreatedAt, l.ID), encodeLetter(&l))
		same(t, l, again, err)
	})
}

// The same for the small values.
func FuzzDecodeSmall(f *testing.F) {
	f.Add(encodeCheckpoint(richCheckpoint()))
	f.Add(encodeTrim(mark{3, 400}))
	f.Add(encodeLetterID(letterKey(time.Unix(1, 0), "a")))
	f.Add([]byte(`{"pid":1,"host":"h","address":"a"}` + "   \n"))
	f.Fuzz(func(t *testing.T, value []byte) {
		if c, err := decodeCheckpoint(value); err == nil {
			again, err := decodeCheckpoint(encodeCheckpoint(c))
			same(t, c, again, err)
		}
		if m, err := decodeTrim(value); err == nil {
			again, err := decodeTrim(encodeTrim(m))
			same(t, m, again, err)
		}
		if where, err := decodeLetterID(value); err == nil {
			again, err := decodeLetterID(encodeLetterID(where))
			same(t, where, again, err)
		}
		o := parseOwner(value)
		text, err := json.Marshal(o)
		same(t, o, parseOwner(append(text, "  \n\x00"...)), err)
	})
}

// No bytes make a parser of keys panic, and what one accepts is the key that is built from it.
func FuzzParseKeys(f *testing.F) {
	f.Add(rowKey(7))
	f.Add(letterKey(time.Unix(-1, 5), "id"))
	f.Add(recordKey(TopicID{1, 255}, 3, 9))
	f.Fuzz(func(t *testing.T, key []byte) {
		if seq, err := parseRowKey(key); err == nil {
			same(t, key, rowKey(seq), nil)
		}
		if created, id, err := parseLetterKey(key); err == nil {
			same(t, key, letterKey(created, id), nil)
		}
		if offset, err := parseRecordKey(key); err == nil {
			same(t, string(key[len(key)-8:]), string(recordKey(TopicID{}, 0, offset)[recordKeyBytes-8:]), nil)
		}
	})
}

// Keys parse back to what they were built from, and their byte order is the order of
// their nouns: seqs by number, letters by time, before 1970 as well.
func FuzzKeys(f *testing.F) {
	f.Add(uint64(1), uint64(2), int64(-1), int64(1), "a", "b")
	f.Fuzz(func(t *testing.T, a, b uint64, at, bt int64, aID, bID string) {
		seq, err := parseRowKey(rowKey(runtime.Seq(a)))
		same(t, runtime.Seq(a), seq, err)
		if got := bytes.Compare(rowKey(runtime.Seq(a)), rowKey(runtime.Seq(b))); (got < 0) != (a < b) {
			t.Fatal("rows", a, b, got)
		}
		aKey, bKey := letterKey(time.Unix(0, at), aID), letterKey(time.Unix(0, bt), bID)
		created, id, err := parseLetterKey(aKey)
		same(t, aID, id, err)
		same(t, at, created.UnixNano(), nil)
		if got := bytes.Compare(aKey, bKey); at != bt && (got < 0) != (at < bt) {
			t.Fatal("letters", at, bt, got)
		}
		task := TaskID{aID[:min(len(aID), 255)], int32(b)}
		again, err := parseTaskKey(append(kindStage.taskKey(task), bID...))
		same(t, task, again, err)
		_, _ = parseTaskKey([]byte(aID))
	})
}
