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
