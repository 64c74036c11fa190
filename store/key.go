package store

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/leat-run/leat/runtime"
)

// A key starts with four bytes: three letters that name its kind, and the version of
// the layout of keys and values under it. What follows is fixed per kind:
//
//	fmt 1                                 the store's format and identity
//	row 1  seq, 8 bytes big-endian        one row of the spool
//	trm 1                                 how far the spool is trimmed
//	ckp 1                                 checkpoint and balance
//	nod 1  name of the node               what the node remembers
//	let 1  created, 8 bytes; id           one dead letter, in the order of creation
//	lid 1  id                             where that letter is: its created
//
// and in a data dir's log, with topic ids of 16 bytes, partitions of 4, offsets of 8:
//
//	top 1  name                           one topic
//	ext 1  topic id, partition            where the partition's log starts
//	rec 1  topic id, partition, offset    one record
//	stg 1  stage, partition, text         what the causal protocol keeps for a task: its own keys and layouts
//	fld 1  stage, partition, fold key     a fold's state of one key: the user codec's bytes
//	pos 1  stage, partition, topic id, partition   up to where the task has consumed a channel
//
// A stage's name has its length, one byte, before it. stg and fld have no format byte in their values: their
// layouts are fixed by the version in the prefix.
//
// Names, ids and times are the last thing in a key or of fixed width, so that no key is
// the prefix of another one's tail and byte order is the order of the noun.
type kind [4]byte

var (
	kindFormat     = kind{'f', 'm', 't', 1}
	kindRow        = kind{'r', 'o', 'w', 1}
	kindTrim       = kind{'t', 'r', 'm', 1}
	kindCheckpoint = kind{'c', 'k', 'p', 1}
	kindNode       = kind{'n', 'o', 'd', 1}
	kindLetter     = kind{'l', 'e', 't', 1}
	kindLetterID   = kind{'l', 'i', 'd', 1}

	kindTopic    = kind{'t', 'o', 'p', 1}
	kindExtent   = kind{'e', 'x', 't', 1}
	kindRecord   = kind{'r', 'e', 'c', 1}
	kindStage    = kind{'s', 't', 'g', 1}
	kindFold     = kind{'f', 'l', 'd', 1}
	kindPosition = kind{'p', 'o', 's', 1}
)

const rowKeyBytes = len(kind{}) + 8

// start is the lowest key of the kind, end the lowest key after it.
func (k kind) start() []byte { return k[:] }

func (k kind) end() []byte {
	end := k
	end[len(end)-1]++
	return end[:]
}

func (k kind) name(name string) []byte { return append(k.start(), name...) }

// putRowKey writes the key of a row into dst. REQUIRES: len(dst) == rowKeyBytes.
func putRowKey(dst []byte, seq runtime.Seq) {
	copy(dst, kindRow[:])
	binary.BigEndian.PutUint64(dst[len(kindRow):], uint64(seq))
}

func rowKey(seq runtime.Seq) []byte {
	key := make([]byte, rowKeyBytes)
	putRowKey(key, seq)
	return key
}

func parseRowKey(key []byte) (runtime.Seq, error) {
	if len(key) != rowKeyBytes || kind(key[:4]) != kindRow {
		return 0, fmt.Errorf("%w: %x is no row's key", ErrCorrupt, key)
	}
	return runtime.Seq(binary.BigEndian.Uint64(key[4:])), nil
}

// letterKey orders letters by the time they were created; the sign bit is flipped so
// that times before 1970 sort first.
func letterKey(created time.Time, id string) []byte {
	key := binary.BigEndian.AppendUint64(kindLetter.start(), uint64(created.UnixNano())^1<<63)
	return append(key, id...)
}

func parseLetterKey(key []byte) (created time.Time, id string, err error) {
	if len(key) < 12 || kind(key[:4]) != kindLetter {
		return time.Time{}, "", fmt.Errorf("%w: %x is no letter's key", ErrCorrupt, key)
	}
	nanos := int64(binary.BigEndian.Uint64(key[4:12]) ^ 1<<63)
	return time.Unix(0, nanos).UTC(), string(key[12:]), nil
}

// topicKey is the prefix of all that a topic has under a kind.
func (k kind) topicKey(id TopicID) []byte { return append(k.start(), id[:]...) }

// channelKey is the key of one partition of a topic under a kind.
func (k kind) channelKey(id TopicID, partition int32) []byte {
	return binary.BigEndian.AppendUint32(k.topicKey(id), uint32(partition))
}

const (
	channelBytes   = len(TopicID{}) + 4
	recordKeyBytes = len(kind{}) + channelBytes + 8
)

func recordKey(id TopicID, partition int32, offset int64) []byte {
	return binary.BigEndian.AppendUint64(kindRecord.channelKey(id, partition), uint64(offset))
}

// recordsEnd is the lowest key after all records of the partition.
func recordsEnd(id TopicID, partition int32) []byte {
	return prefixEnd(kindRecord.channelKey(id, partition))
}

func parseRecordKey(key []byte) (offset int64, err error) {
	if len(key) != recordKeyBytes || kind(key[:4]) != kindRecord {
		return 0, fmt.Errorf("%w: %x is no record's key", ErrCorrupt, key)
	}
	return int64(binary.BigEndian.Uint64(key[recordKeyBytes-8:])), nil
}

// stageKey is the prefix of all that a stage keeps under a kind.
func (k kind) stageKey(stage string) []byte {
	return append(append(k.start(), byte(len(stage))), stage...)
}

// taskKey is the prefix of all that one of its tasks keeps.
func (k kind) taskKey(t TaskID) []byte {
	return binary.BigEndian.AppendUint32(k.stageKey(t.Stage), uint32(t.Partition))
}

// parseTaskKey reads the task off the front of a key of kindStage.
func parseTaskKey(key []byte) (t TaskID, err error) {
	const named = len(kind{}) + 1
	if len(key) < named || kind(key[:4]) != kindStage || len(key) < named+int(key[named-1])+4 {
		return t, fmt.Errorf("%w: %x is no key of a task", ErrCorrupt, key)
	}
	partition := named + int(key[named-1])
	return TaskID{string(key[named:partition]), int32(binary.BigEndian.Uint32(key[partition:]))}, nil
}

// entryKey is the key of one entry of a task under a kind.
func entryKey[T string | []byte](k kind, t TaskID, name T) []byte {
	return append(k.taskKey(t), name...)
}

func positionKey(t TaskID, id TopicID, partition int32) []byte {
	return binary.BigEndian.AppendUint32(append(kindPosition.taskKey(t), id[:]...), uint32(partition))
}

// prefixEnd is the lowest key after all that start with the prefix. REQUIRES: one of its
// bytes is below 255, as those of a kind are.
func prefixEnd(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for i := len(end) - 1; ; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
}
