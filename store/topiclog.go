package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// Log is the embedded log of a data dir: its topics, and beside them the state of the
// causal stages that read and write them, so that one step of a stage is one atomic write.
// It is a Store of its own, with a lease of its own; of a Store's own nouns it uses dead letters.
//
//	Begin -> Step: Append, SetState … -> Commit --> queue --> committer --> acker --> durable ends --> Read, Watch
//	         (the append lock)           (unlock)
//
// Offsets are assigned under the append lock, in the order in which steps are queued: a
// crash leaves a prefix of the steps. Its methods are safe for concurrent use.
type Log struct {
	*Store

	// appending is held from Begin until a step is queued. It guards the tail of partitions.
	appending sync.Mutex

	// reading guards the maps, and extents and watches of partitions.
	reading sync.RWMutex
	byName  map[string]*topic
	byID    map[TopicID]*topic
}

// topic is a Topic with its partitions at work.
type topic struct {
	spec       Topic // without extents
	partitions []*partition
}

// partition is one partition at work.
type partition struct {
	log    *Log
	id     TopicID
	number int32
	tail   tail // guarded by Log.appending

	// Guarded by Log.reading.
	start   mark64
	durable mark64
	watches map[*Watch]struct{}
}

// mark64 is an offset and the bytes of all records before it since the partition began.
type mark64 struct {
	offset int64
	bytes  uint64
}

// tail is where the next record goes.
type tail struct {
	mark64
	timestamp int64 // of the record before
}

// LogDir is the name of the log's directory in a data dir.
const LogDir = "log"

// OpenLog opens the log in dir, its own directory, as Open does a store. Options about a
// spool have no meaning here: what a log holds is bounded by its topics' retention.
func OpenLog(dir string, o Options) (*Log, error) {
	o.MaxBytes, o.Retention = -1, -1
	s, err := Open(dir, o)
	if err != nil {
		return nil, err
	}
	l := &Log{Store: s, byName: map[string]*topic{}, byID: map[TopicID]*topic{}}
	if err := l.recoverTopics(); err != nil {
		return nil, errors.Join(fmt.Errorf("store: recover topics: %w", err), s.Close())
	}
	if _, err := l.Retain(); err != nil { // a log that is only ever open for moments keeps its retention, too
		return nil, errors.Join(err, s.Close())
	}
	s.ended.Go(l.keepRetention)
	return l, nil
}

func (l *Log) recoverTopics() error {
	return l.read(func() error {
		it, err := l.db.NewIter(&pebble.IterOptions{LowerBound: kindTopic.start(), UpperBound: kindTopic.end()})
		if err != nil {
			return err
		}
		for ok := it.First(); ok && err == nil; ok = it.Next() {
			var t Topic
			if t, err = decodeTopic(string(it.Key()[len(kindTopic):]), it.Value()); err == nil {
				err = l.recoverTopic(t)
			}
		}
		return errors.Join(err, it.Error(), it.Close())
	})
}

func (l *Log) recoverTopic(spec Topic) error {
	t := l.newTopic(spec)
	for _, p := range t.partitions {
		if err := l.recoverPartition(p); err != nil {
			return err
		}
	}
	l.byName[spec.Name], l.byID[spec.ID] = t, t
	return nil
}

func (l *Log) newTopic(spec Topic) *topic {
	t := &topic{spec: spec}
	for i := range spec.Partitions {
		t.partitions = append(t.partitions, &partition{log: l, id: spec.ID, number: int32(i), watches: map[*Watch]struct{}{}})
	}
	return t
}

func (l *Log) recoverPartition(p *partition) error {
	value, err := l.get(kindExtent.channelKey(p.id, p.number))
	if err == nil {
		p.start.offset, p.start.bytes, err = decodeExtent(value)
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	p.tail.mark64 = p.start
	it, err := l.db.NewIter(&pebble.IterOptions{ // the record before the start may be a last one: see lastRecord
		LowerBound: recordKey(p.id, p.number, max(p.start.offset-1, 0)), UpperBound: recordsEnd(p.id, p.number),
	})
	if err != nil {
		return err
	}
	if it.Last() {
		p.tail, err = tailAfter(it.Key(), it.Value())
	}
	p.durable = p.tail.mark64
	return errors.Join(err, it.Error(), it.Close())
}

func tailAfter(key, value []byte) (t tail, err error) {
	offset, err := parseRecordKey(key)
	if err != nil {
		return t, err
	}
	before, timestamp, err := readRecordHeader(value)
	return tail{mark64{offset + 1, before + recordSize(value)}, timestamp}, err
}

// CreateTopic makes a topic and returns it once that is durable. ErrTopicExists where there
// is one of that name.
func (l *Log) CreateTopic(spec TopicSpec) (Topic, error) {
	if err := spec.validate(); err != nil {
		return Topic{}, err
	}
	step, err := l.Begin()
	if err != nil {
		return Topic{}, err
	}
	if _, ok := l.Topic(spec.Name); ok {
		step.Abort()
		return Topic{}, fmt.Errorf("%w: %s", ErrTopicExists, spec.Name)
	}
	t := l.newTopic(Topic{TopicSpec: spec, ID: newTopicID(), Created: l.opt.Now().UTC().Truncate(time.Millisecond)})
	must(step.wb.Set(kindTopic.name(spec.Name), encodeTopic(t.spec), nil))
	l.reading.Lock()
	l.byName[spec.Name], l.byID[t.spec.ID] = t, t
	l.reading.Unlock()
	if err := step.Commit(); err != nil {
		return Topic{}, err
	}
	return l.snapshot(t), nil
}

// DeleteTopic removes a topic with its records. What stages keep about it stays with them. It is done while there is
// no room for appends, too.
func (l *Log) DeleteTopic(name string) error {
	step := l.begin()
	l.reading.Lock()
	t := l.byName[name]
	if t == nil {
		l.reading.Unlock()
		step.Abort()
		return fmt.Errorf("%w: %s", ErrNoTopic, name)
	}
	delete(l.byName, name)
	delete(l.byID, t.spec.ID)
	for _, p := range t.partitions {
		step.gives += p.tail.bytes - p.start.bytes
		p.notify() // who waits for more is to learn that there is none
	}
	l.reading.Unlock()
	must(step.wb.Delete(kindTopic.name(name), nil))
	for _, k := range []kind{kindRecord, kindExtent} {
		prefix := k.topicKey(t.spec.ID)
		must(step.wb.DeleteRange(prefix, prefixEnd(prefix), nil))
	}
	return step.Commit()
}

// Topic is the topic of that name; false where there is none.
func (l *Log) Topic(name string) (Topic, bool) {
	l.reading.RLock()
	t := l.byName[name]
	l.reading.RUnlock()
	if t == nil {
		return Topic{}, false
	}
	return l.snapshot(t), true
}

// TopicByID is the topic with that id; false where there is none, any more.
func (l *Log) TopicByID(id TopicID) (Topic, bool) {
	l.reading.RLock()
	t := l.byID[id]
	l.reading.RUnlock()
	if t == nil {
		return Topic{}, false
	}
	return l.snapshot(t), true
}

// Topics lists all topics by name.
func (l *Log) Topics() []Topic {
	l.reading.RLock()
	all := make([]*topic, 0, len(l.byName))
	for _, t := range l.byName {
		all = append(all, t)
	}
	l.reading.RUnlock()
	out := make([]Topic, len(all))
	for i, t := range all {
		out[i] = l.snapshot(t)
	}
	slices.SortFunc(out, func(a, b Topic) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func (l *Log) snapshot(t *topic) Topic {
	l.reading.RLock()
	defer l.reading.RUnlock()
	out := t.spec
	for _, p := range t.partitions {
		end := p.durable
		if end.offset < p.start.offset {
			end = p.start // retention is ahead of what is known to be durable
		}
		out.Extents = append(out.Extents, Extent{p.start.offset, end.offset, int64(end.bytes - p.start.bytes)})
	}
	return out
}

func (l *Log) partition(id TopicID, number int32) (*partition, error) {
	l.reading.RLock()
	defer l.reading.RUnlock()
	t := l.byID[id]
	if t == nil {
		return nil, fmt.Errorf("%w: id %s", ErrNoTopic, id)
	}
	if number < 0 || int(number) >= len(t.partitions) {
		return nil, fmt.Errorf("%w: %s has no partition %d", ErrNoTopic, t.spec.Name, number)
	}
	return t.partitions[number], nil
}
