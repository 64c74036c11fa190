package store

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// ReadRecords returns durable records of a partition from an offset on: at most so many,
// and of at most 1 MiB together but for the last. It returns none at the end. An offset that
// the partition does not hold is an *OffsetError; ErrNoTopic where the topic is gone.
// The caller owns the records.
func (l *Log) ReadRecords(id TopicID, number int32, from int64, most int) ([]TopicRecord, error) {
	p, err := l.partition(id, number)
	if err != nil {
		return nil, err
	}
	extent := l.extent(p)
	if from < extent.Start || from > extent.End {
		return nil, l.outside(p, from)
	}
	if from == extent.End || most <= 0 {
		return nil, nil
	}
	var records []TopicRecord
	err = l.read(func() error {
		it, err := l.db.NewIter(&pebble.IterOptions{
			LowerBound: recordKey(id, number, from), UpperBound: recordKey(id, number, extent.End),
		})
		if err != nil {
			return fmt.Errorf("store: read records: %w", err)
		}
		records, err = collectRecords(it, from, most)
		return errors.Join(err, it.Error(), it.Close())
	})
	if now := l.extent(p); err == nil && from < now.Start || errors.Is(err, errGap) {
		return nil, l.outside(p, from) // retention went over it meanwhile
	}
	return records, err
}

// errGap is a record that is not there although it should.
var errGap = fmt.Errorf("%w: an offset is missing", ErrCorrupt)

func collectRecords(it *pebble.Iterator, from int64, most int) (records []TopicRecord, err error) {
	size := 0
	for ok := it.First(); ok && len(records) < most && size < chunkBytes; ok = it.Next() {
		offset, err := parseRecordKey(it.Key())
		if err != nil {
			return nil, err
		}
		if offset != from+int64(len(records)) {
			return nil, errGap
		}
		record, err := decodeRecord(append([]byte(nil), it.Value()...))
		if err != nil {
			return nil, fmt.Errorf("store: offset %d: %w", offset, err)
		}
		record.Offset = offset
		records, size = append(records, record), size+len(it.Value())
	}
	if len(records) == 0 {
		return nil, errGap
	}
	return records, nil
}

func (l *Log) extent(p *partition) Extent {
	l.reading.RLock()
	defer l.reading.RUnlock()
	return Extent{Start: p.start.offset, End: max(p.durable.offset, p.start.offset)}
}

// outside is the error of an offset that the partition does not hold; of one that it should
// hold, the store is corrupt.
func (l *Log) outside(p *partition, offset int64) error {
	t, ok := l.TopicByID(p.id)
	if !ok {
		return fmt.Errorf("%w: id %s", ErrNoTopic, p.id)
	}
	e := t.Extents[p.number]
	if offset >= e.Start && offset < e.End {
		return fmt.Errorf("%s partition %d offset %d: %w", t.Name, p.number, offset, errGap)
	}
	return &OffsetError{Topic: t.Name, Partition: p.number, Offset: offset, Start: e.Start, End: e.End}
}

// Watch tells that partitions have grown. It is the reader's to Close.
type Watch struct {
	// C has a token when one of the partitions has grown, or was deleted, since the last one
	// was taken. Look at the partitions after taking it.
	C   chan struct{}
	log *Log
	on  []*partition
}

// Watch starts to watch: what grows after it returned gives a token.
func (l *Log) Watch() *Watch { return &Watch{C: make(chan struct{}, 1), log: l} }

// Add watches one more partition.
func (w *Watch) Add(id TopicID, number int32) error {
	p, err := w.log.partition(id, number)
	if err != nil {
		return err
	}
	w.log.reading.Lock()
	defer w.log.reading.Unlock()
	p.watches[w] = struct{}{}
	w.on = append(w.on, p)
	return nil
}

// Close ends the watch. It is idempotent.
func (w *Watch) Close() {
	w.log.reading.Lock()
	defer w.log.reading.Unlock()
	for _, p := range w.on {
		delete(p.watches, w)
	}
	w.on = nil
}

// notify wakes who watches. REQUIRES: Log.reading is held for writing.
func (p *partition) notify() {
	for w := range p.watches {
		select {
		case w.C <- struct{}{}:
		default:
		}
	}
}
