package store

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"regexp"
	"strings"
	"time"
)

// TopicID is a topic's UUID, big-endian: its identity. A topic that is deleted and made
// again under the same name has another one, and is another topic.
type TopicID [16]byte

// String is the usual text of a UUID: 36 characters, lower-case.
func (id TopicID) String() string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[0:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// MarshalText is String.
func (id TopicID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads what String writes.
func (id *TopicID) UnmarshalText(text []byte) error {
	b, err := hex.DecodeString(strings.ReplaceAll(string(text), "-", ""))
	if copy(id[:], b); err != nil || id.String() != string(text) {
		return fmt.Errorf("store: %q is not a topic id", text)
	}
	return nil
}

func newTopicID() (id TopicID) {
	_, _ = rand.Read(id[:]) // it never fails
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return id
}

// MaxPartitions bounds a topic's partitions: a stage runs one task, with an instance of
// its guest, for each.
const MaxPartitions = 256

// TopicSpec is what a topic is made with.
type TopicSpec struct {
	// Name is unique in the log: letters, digits, '.', '_' and '-', at most 64, a letter or
	// digit first.
	Name string
	// Partitions is 1 to MaxPartitions, and stays: a key's records keep their partition.
	Partitions int
	// Retention is how long records are kept; 0 is for ever.
	Retention time.Duration
	// RetentionBytes is how much of each partition is kept; 0 is all.
	RetentionBytes int64
}

var topicName = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$`)

func (s TopicSpec) validate() error {
	switch {
	case !topicName.MatchString(s.Name):
		return fmt.Errorf("%w: %q is no topic's name: letters, digits, '.', '_' and '-', at most 64, a letter or digit first", ErrTopic, s.Name)
	case s.Partitions < 1 || s.Partitions > MaxPartitions:
		return fmt.Errorf("%w: %d partitions: 1 to %d", ErrTopic, s.Partitions, MaxPartitions)
	case s.Retention < 0 || s.RetentionBytes < 0:
		return fmt.Errorf("%w: a retention is not negative", ErrTopic)
	}
	return nil
}

// Topic is a topic as it stands.
type Topic struct {
	TopicSpec
	ID      TopicID
	Created time.Time
	Extents []Extent // by partition
}

// Extent is what a partition holds: the durable records of [Start, End).
type Extent struct {
	Start int64 // the first that can still be read
	End   int64 // one past the last
	Bytes int64 // of those records as they were written
}

// PartitionOf is the partition that a key's records go to. A record without a key goes to
// partition 0. The function is fixed for ever: keys must not move.
func PartitionOf(key []byte, partitions int) int32 {
	if key == nil {
		return 0
	}
	h := fnv.New32a()
	_, _ = h.Write(key) // it never fails
	return int32(h.Sum32() % uint32(partitions))
}

func encodeTopic(t Topic) []byte {
	w := wireWriter{buf: []byte{topicFormat}}
	w.buf = append(w.buf, t.ID[:]...)
	w.uint(uint64(t.Partitions))
	w.uint(uint64(t.Retention))
	w.uint(uint64(t.RetentionBytes))
	w.time(t.Created)
	return w.buf
}

func decodeTopic(name string, value []byte) (Topic, error) {
	r := openValue(value, topicFormat, "topic")
	t := Topic{ID: r.topicID()}
	t.Name, t.Partitions = name, int(r.uint())
	t.Retention, t.RetentionBytes = time.Duration(r.uint()), int64(r.uint())
	t.Created = r.time()
	if r.err == nil && t.validate() != nil {
		r.fail("no topic")
	}
	return t, r.close()
}

func (r *wireReader) topicID() (id TopicID) {
	for i := range id {
		id[i] = r.byte()
	}
	return id
}

// An extent's value is where the partition starts, and the bytes of all records before.
func encodeExtent(start int64, before uint64) []byte {
	w := wireWriter{buf: []byte{extentFormat}}
	w.uint(uint64(start))
	w.uint(before)
	return w.buf
}

func decodeExtent(value []byte) (start int64, before uint64, err error) {
	r := openValue(value, extentFormat, "extent")
	start, before = int64(r.uint()), r.uint()
	if r.err == nil && start < 0 {
		r.fail("no offset")
	}
	return start, before, r.close()
}
