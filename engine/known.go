package engine

import (
	"hash/maphash"
	"sync"

	"github.com/leat-run/leat/engine/commit"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// knownRows are the rows of one source around the checkpoint at the start of a run. After
// a crash the source emits its uncommitted tail again; an emission that brings an ID of
// its own, the same payload and the same key as such a row is that row: it is adopted
// instead of being written a second time. That halves the duplicates after a crash. A
// source that makes no IDs is not touched by it.
//
// A row is known by two sums of 64 bits, over its ID and over what it carries, so that as many
// rows as the gate lets in cost the collector nothing. If two IDs have one sum the earlier row
// is forgotten, and comes twice.
//
// Each row is adopted once. The position of an adopted emission counts when its row is
// committed, like that of any other (promise 7).
type knownRows struct {
	mu       sync.Mutex
	ids, sum maphash.Seed
	rows     map[uint64]knownRow // by the sum of the ID
}

type knownRow struct {
	seq runtime.Seq
	sum uint64
}

// note remembers a row that a source emitted.
func (k *knownRows) note(row *store.Row) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.rows == nil {
		k.rows, k.ids, k.sum = map[uint64]knownRow{}, maphash.MakeSeed(), maphash.MakeSeed()
	}
	m := &row.Message
	k.rows[maphash.String(k.ids, m.ID)] = knownRow{seq: row.Seq, sum: k.sumLocked(m.ID, m.Key, m.Payload)}
}

// take returns the row that g is, once; 0 if it is none.
func (k *knownRows) take(g *Emission) runtime.Seq {
	if g.ID == "" {
		return 0
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.rows) == 0 {
		return 0
	}
	id := maphash.String(k.ids, g.ID)
	row, ok := k.rows[id]
	if !ok || row.sum != k.sumLocked(g.ID, g.Key, g.Payload) {
		return 0
	}
	delete(k.rows, id)
	return row.seq
}

// none reports that there is nothing to look for.
func (k *knownRows) none() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.rows) == 0
}

// sumLocked is over everything that the row is recognised by.
func (k *knownRows) sumLocked(id string, key, payload []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(k.sum)
	_, _ = h.WriteString(id)
	_ = h.WriteByte(0)
	_, _ = h.Write(key)
	_ = h.WriteByte(0)
	_, _ = h.Write(payload)
	return h.Sum64()
}

// adopt takes emissions off the front of group that are known rows, and returns the rest,
// cut before the next one that is known.
func (em *emitter) adopt(group []Emission) (fresh, rest []Emission) {
	for len(group) > 0 {
		seq := em.known.take(&group[0])
		if seq == 0 {
			break
		}
		em.own(&group[0], seq)
		group = group[1:]
	}
	for n := range group {
		if n > 0 && em.known.has(&group[n]) {
			return group[:n], group[n:]
		}
	}
	return group, nil
}

func (k *knownRows) has(g *Emission) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.rows) == 0 {
		return false
	}
	_, ok := k.rows[maphash.String(k.ids, g.ID)]
	return ok
}

// own makes the row at seq count as this emission.
func (em *emitter) own(g *Emission, seq runtime.Seq) {
	e := em.engine
	e.tracker.Adopt(seq, commit.Origin{
		Source: em.index, Index: em.made.take(1), Positions: []runtime.Position{g.Position},
	})
	e.adopted.Add(1)
	token(e.moved) // the row may be committed already
}
