package store

import (
	"encoding/binary"
)

// TopicRecord is one record of a topic's partition.
type TopicRecord struct {
	// Offset is given by the append; it is ignored on the way in. Offsets are dense: 0, 1, 2 …
	Offset int64
	// Timestamp is when it was appended, in milliseconds since 1970, UTC. The log sets it, and it
	// never goes back within a partition.
	Timestamp int64
	Key       []byte // nil is null
	Value     []byte // nil is null
	Headers   []TopicHeader
}

// TopicHeader is one header of a record; names may repeat. A nil Value is null.
type TopicHeader struct {
	Name  string
	Value []byte
}

// A record's value has a header of fixed width before its body, like a row's:
//
//	format 1 | bytes of all records before it since the partition began, 8 big-endian | timestamp, 8 | body
const recordHeaderBytes = 1 + 8 + 8

// recordSize is what a record counts for in an Extent's Bytes.
func recordSize(value []byte) uint64 { return uint64(recordKeyBytes + len(value)) }

// encodeRecord leaves room for what is known only when it is appended: sealRecord.
func encodeRecord(r *TopicRecord) []byte {
	w := wireWriter{buf: make([]byte, recordHeaderBytes, recordHeaderBytes+len(r.Key)+len(r.Value)+32+32*len(r.Headers))}
	w.nullable(r.Key)
	w.nullable(r.Value)
	w.uint(uint64(len(r.Headers)))
	for _, h := range r.Headers {
		w.string(h.Name)
		w.nullable(h.Value)
	}
	return w.buf
}

func sealRecord(value []byte, before uint64, timestamp int64) {
	value[0] = recordFormat
	binary.BigEndian.PutUint64(value[1:], before)
	binary.BigEndian.PutUint64(value[9:], uint64(timestamp))
}

// readRecordHeader reads the part of fixed width only.
func readRecordHeader(value []byte) (before uint64, timestamp int64, err error) {
	if len(value) < recordHeaderBytes || value[0] != recordFormat {
		r := openValue(value, recordFormat, "record")
		if r.err == nil {
			r.fail("value ends early")
		}
		return 0, 0, r.err
	}
	return binary.BigEndian.Uint64(value[1:]), int64(binary.BigEndian.Uint64(value[9:])), nil
}

// decodeRecord reads a value whose bytes the record keeps. The offset is that of the key.
func decodeRecord(value []byte) (TopicRecord, error) {
	_, timestamp, err := readRecordHeader(value)
	if err != nil {
		return TopicRecord{}, err
	}
	r := wireReader{rest: value[recordHeaderBytes:]}
	rec := TopicRecord{Timestamp: timestamp, Key: r.nullable(), Value: r.nullable()}
	n := r.uint()
	if n > uint64(len(r.rest))/2 {
		r.fail("more headers than bytes")
	}
	for range n {
		if r.err != nil {
			break
		}
		rec.Headers = append(rec.Headers, TopicHeader{Name: r.string(), Value: r.nullable()})
	}
	return rec, r.close()
}

// nullable writes bytes that may be null: 0, or their length plus one and the bytes.
func (w *wireWriter) nullable(b []byte) {
	if b == nil {
		w.uint(0)
		return
	}
	w.uint(uint64(len(b)) + 1)
	w.buf = append(w.buf, b...)
}

func (r *wireReader) nullable() []byte {
	n := r.uint()
	if n == 0 || r.err != nil {
		return nil
	}
	if n--; n > uint64(len(r.rest)) {
		r.fail("length past the end")
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}
