package sim

import (
	"github.com/leat-run/leat/engine/causal"
)

// log is the model of a log: every partition is a run of offsets, some of which never reach a consumer.
type log struct {
	topics map[causal.TopicID]*topic
	made   int
}

type topic struct {
	id         causal.TopicID
	name       string
	partitions []*partition
}

type partition struct {
	at      causal.Channel
	start   int64
	entries []entry
}

// entry is what stands at one offset: a business record, or a marker (event -1).
type entry struct {
	fetched causal.Fetched
	event   int
	txn     *txn
	gone    bool // compacted away
}

// txn is a transaction; nil is a record that is visible at once.
type txn struct{ open, aborted bool }

func (l *log) create(name string, partitions int) *topic {
	l.made++
	t := &topic{name: name}
	copy(t.id[:], name)
	t.id[14], t.id[15] = byte(l.made>>8), byte(l.made)
	for p := range partitions {
		t.partitions = append(t.partitions, &partition{at: causal.Channel{Topic: t.id, Partition: int32(p)}})
	}
	l.topics[t.id] = t
	return t
}

// Topic is what the protocol asks.
func (l *log) Topic(id causal.TopicID) (causal.Topic, bool, error) {
	t, ok := l.topics[id]
	if !ok {
		return causal.Topic{}, false, nil
	}
	out := causal.Topic{Name: t.name}
	for _, p := range t.partitions {
		out.Partitions = append(out.Partitions, causal.Extent{Start: p.start, End: p.end()})
	}
	return out, true, nil
}

func (l *log) partition(c causal.Channel) *partition {
	if t, ok := l.topics[c.Topic]; ok {
		return t.partitions[c.Partition]
	}
	return nil
}

func (p *partition) end() int64 { return int64(len(p.entries)) }

func (p *partition) append(e entry) causal.Coordinate {
	e.fetched.Channel, e.fetched.Offset = p.at, p.end()
	p.entries = append(p.entries, e)
	return causal.Coordinate{Channel: p.at, Offset: e.fetched.Offset}
}

// stable is the offset up to which all transactions are decided.
func (p *partition) stable() int64 {
	for i := p.start; i < p.end(); i++ {
		if t := p.entries[i].txn; t != nil && t.open {
			return i
		}
	}
	return p.end()
}

func (e entry) visible() bool {
	return e.event >= 0 && !e.gone && (e.txn == nil || !e.txn.open && !e.txn.aborted)
}

// next is the first record to be had from an offset on; where there is none, the position reached.
func (p *partition) next(from int64) (e *entry, position int64) {
	stable := p.stable()
	for i := max(from, p.start); i < stable; i++ {
		if p.entries[i].visible() {
			return &p.entries[i], i + 1
		}
	}
	return nil, stable
}
