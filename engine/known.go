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
// Each row is adopted once. The position of an adopted emission counts when its row is
// committed, like that of any other (promise 7).
type knownRows struct {
	mu   sync.Mutex
	seed maphash.Seed
	rows map[string]knownRow
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
		k.rows, k.seed = map[string]knownRow{}, maphash.MakeSeed()
	}
	k.rows[row.Message.ID] = knownRow{seq: row.Seq, sum: k.sum(row.Message.Key, row.Message.Payload)}
}

// take returns the row that g is, once; 0 if it is none.
func (k *knownRows) take(g *Emission) runtime.Seq {
	if g.ID == "" {
		return 0
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	row, ok := k.rows[g.ID]
	if !ok || row.sum != k.sum(g.Key, g.Payload) {
		return 0
	}
	delete(k.rows, g.ID)
	return row.seq
}

// none reports that there is nothing to look for.
func (k *knownRows) none() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.rows) == 0
}

// sum is REQUIRED to be called with k.mu held.
func (k *knownRows) sum(key, payload []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(k.seed)
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
	_, ok := k.rows[g.ID]
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
