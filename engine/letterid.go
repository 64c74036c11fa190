package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"
	"time"

	"github.com/leat-run/leat/runtime"
)

// letterIDs names dead letters. The name is a function of the message and of the step that
// failed, so that a row which is run again after a crash replaces the letter of its first
// run and does not add another: the letters that are kept are those that the books count.
//
// Equal messages in the same step, which one message can fan out into, are told apart by
// their number.
type letterIDs struct {
	mu       sync.Mutex
	seen     map[letterDigest]letterCount
	forgetAt int // the size at which committed messages are forgotten
}

// letterDigest is a branch of a message in a step, as far as its content tells.
type letterDigest [sha256.Size]byte

// letterCount is how many branches with one digest have failed.
type letterCount struct {
	seq runtime.Seq
	n   uint64
}

// lettersSeen is the least size at which committed messages are forgotten. What is left belongs
// to messages in flight, which the gate bounds; it doubles before it is looked through again.
const lettersSeen = 4096

// next returns the identity of the next dead letter of such a branch. Rows up to frontier
// are committed: they will not fail again.
func (l *letterIDs) next(seq, frontier runtime.Seq, node, edge string, m *runtime.Message) string {
	digest := digestLetter(seq, node, edge, m.Payload)
	return letterID(m.Ingested, digest, l.count(digest, seq, frontier))
}

func (l *letterIDs) count(digest letterDigest, seq, frontier runtime.Seq) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen == nil {
		l.seen, l.forgetAt = map[letterDigest]letterCount{}, lettersSeen
	}
	if len(l.seen) >= l.forgetAt {
		l.forgetLocked(frontier)
	}
	c := l.seen[digest]
	l.seen[digest] = letterCount{seq, c.n + 1}
	return c.n
}

func (l *letterIDs) forgetLocked(frontier runtime.Seq) {
	for digest, c := range l.seen {
		if c.seq <= frontier {
			delete(l.seen, digest)
		}
	}
	l.forgetAt = max(lettersSeen, 2*len(l.seen))
}

func digestLetter(seq runtime.Seq, node, edge string, payload []byte) (digest letterDigest) {
	h := sha256.New()
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(seq)))
	for _, part := range [][]byte{[]byte(node), []byte(edge), payload} {
		h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(part))))
		h.Write(part)
	}
	h.Sum(digest[:0])
	return digest
}

// letterID has the form of every other identity: 6 bytes of milliseconds, here of the
// message's admission, so that identities sort roughly by time, and 10 bytes of the digest.
func letterID(admitted time.Time, digest letterDigest, n uint64) string {
	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:8], uint64(admitted.UnixMilli())<<16)
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(digest[:], n))
	copy(raw[6:], sum[:])
	return encodeID(raw)
}
