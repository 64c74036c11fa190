package store

import (
	"bytes"
	"testing"
	"time"
)

func richTopic() Topic {
	return Topic{
		TopicSpec: TopicSpec{Name: "n", Partitions: 3, Retention: time.Hour, RetentionBytes: 1 << 40},
		ID:        TopicID{1, 2, 255}, Created: time.Unix(7, 8).UTC(),
	}
}

// The layouts of the log, byte for byte: a store that exists has these.
func TestTopicLayouts(t *testing.T) {
	record := encodeRecord(&TopicRecord{Key: []byte("k"), Headers: []TopicHeader{{"n", []byte("v")}}})
	sealRecord(record, 3, 5)
	task := TaskID{"st", 2}
	for name, pair := range map[string][2][]byte{
		"record":       {record, []byte("\x01" + "\x00\x00\x00\x00\x00\x00\x00\x03" + "\x00\x00\x00\x00\x00\x00\x00\x05" + "\x02k" + "\x00" + "\x01\x01n\x02v")},
		"extent":       {encodeExtent(3, 200), []byte("\x01\x03\xc8\x01")},
		"topic":        {encodeTopic(Topic{TopicSpec: TopicSpec{Name: "n", Partitions: 3, Retention: 1, RetentionBytes: 2}, ID: TopicID{9}, Created: time.Unix(1, 2)}), []byte("\x01\x09" + string(make([]byte, 15)) + "\x03\x01\x02\x02\x02")},
		"record key":   {recordKey(TopicID{9}, 1, 7), []byte("rec\x01\x09" + string(make([]byte, 15)) + "\x00\x00\x00\x01" + "\x00\x00\x00\x00\x00\x00\x00\x07")},
		"state key":    {kindStage.taskKey(task), []byte("stg\x01\x02st\x00\x00\x00\x02")},
		"fold key":     {kindFold.taskKey(task), []byte("fld\x01\x02st\x00\x00\x00\x02")},
		"position key": {positionKey(task, TopicID{9}, 1), []byte("pos\x01\x02st\x00\x00\x00\x02\x09" + string(make([]byte, 15)) + "\x00\x00\x00\x01")},
	} {
		if !bytes.Equal(pair[0], pair[1]) {
			t.Errorf("%s is %q, was %q", name, pair[0], pair[1])
		}
	}
}

// No bytes make the decoder of records panic or take more memory than they are long, and
// what it accepts means the same after one more round.
func FuzzDecodeRecord(f *testing.F) {
	r := richRecord()
	f.Add(encodeRecord(&r))
	f.Add([]byte{recordFormat})
	f.Fuzz(func(t *testing.T, value []byte) {
		r, err := decodeRecord(bytes.Clone(value))
		if err != nil {
			return
		}
		before, timestamp, err := readRecordHeader(value)
		same(t, r.Timestamp, timestamp, err)
		encoded := encodeRecord(&r)
		sealRecord(encoded, before, timestamp)
		again, err := decodeRecord(encoded)
		same(t, r, again, err)
	})
}

// The same for the small values of the log.
func FuzzDecodeLogSmall(f *testing.F) {
	f.Add(encodeTopic(richTopic()))
	f.Add(encodeExtent(3, 400))
	f.Add([]byte{positionFormat, 7})
	f.Fuzz(func(t *testing.T, value []byte) {
		if topic, err := decodeTopic("n", value); err == nil {
			again, err := decodeTopic("n", encodeTopic(topic))
			same(t, topic, again, err)
		}
		if start, before, err := decodeExtent(value); err == nil {
			startAgain, beforeAgain, err := decodeExtent(encodeExtent(start, before))
			same(t, start, startAgain, err)
			same(t, before, beforeAgain, nil)
		}
		if offset, err := decodePosition(value); err == nil && offset < 0 {
			t.Fatalf("% x is position %d", value, offset)
		}
		if tail, err := tailAfter(recordKey(TopicID{}, 0, 1), value); err == nil {
			_, _, err := readRecordHeader(value)
			same(t, int64(2), tail.offset, err)
		}
	})
}

// Every field of a topic is stored.
func TestTopicRoundTripsWhole(t *testing.T) {
	topic, err := decodeTopic("n", encodeTopic(richTopic()))
	same(t, richTopic(), topic, err)
	topic.Extents = []Extent{{}}
	allSet(t, topic)
	allSet(t, topic.TopicSpec)
}
