package engine

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"sync/atomic"
	"time"
)

// ids makes identities that sort by time and are unique over restarts and machines: 6
// bytes of milliseconds, 4 random bytes of this process, 6 bytes of a counter, as 26
// characters. The counter spares a call for randomness per message.
type ids struct {
	now     func() time.Time
	process [4]byte
	counter atomic.Uint64
}

var idAlphabet = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

func newIDs(now func() time.Time) *ids {
	s := &ids{now: now}
	rand.Read(s.process[:])
	return s
}

func (s *ids) next() string { return s.at(s.now()) }

// at is next for callers that know the time: one look at the clock serves a whole group.
func (s *ids) at(now time.Time) string {
	var raw [16]byte
	binary.BigEndian.PutUint64(raw[8:], s.counter.Add(1))
	binary.BigEndian.PutUint64(raw[:8], uint64(now.UnixMilli())<<16)
	copy(raw[6:], s.process[:])
	return encodeID(raw)
}

func encodeID(raw [16]byte) string {
	var text [26]byte
	idAlphabet.Encode(text[:], raw[:])
	return string(text[:])
}
