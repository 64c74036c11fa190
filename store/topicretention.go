package store

import (
	"errors"
	"fmt"
	"sort"
	"time"
)

// retentionEvery is how often the log looks for records that are past their retention.
const retentionEvery = 10 * time.Second

func (l *Log) keepRetention() {
	tick := time.NewTicker(retentionEvery)
	defer tick.Stop()
	for {
		select {
		case <-l.closing:
			return
		case <-l.failed:
			return
		case <-tick.C:
		}
		if _, err := l.Retain(); err != nil && !errors.Is(err, ErrClosed) {
			l.opt.Log.Warn("store: retention put off", "error", err)
		}
	}
}

// Retain removes the records that are past their topic's retention, and says how many it
// were. The log does so by itself every few seconds. It is done while there is no room for
// appends, too.
func (l *Log) Retain() (removed int64, err error) {
	for _, t := range l.Topics() {
		for i := range t.Extents {
			n, err := l.retainPartition(t, int32(i))
			if errors.Is(err, ErrNoTopic) {
				break
			}
			if err != nil {
				return removed, fmt.Errorf("store: retention of %s partition %d: %w", t.Name, i, err)
			}
			removed += n
		}
	}
	return removed, nil
}

func (l *Log) retainPartition(t Topic, number int32) (removed int64, err error) {
	start, err := l.retained(t, number)
	if err != nil || start <= t.Extents[number].Start {
		return 0, err
	}
	return l.trimPartition(t.ID, number, start)
}

// retained is the first offset that both retentions keep. Sizes and timestamps only grow, so
// that it is found by halving.
func (l *Log) retained(t Topic, number int32) (start int64, err error) {
	extent := t.Extents[number]
	p, err := l.partition(t.ID, number)
	if err != nil {
		return 0, err
	}
	l.reading.RLock()
	end := p.durable.bytes
	l.reading.RUnlock()
	oldest := l.opt.Now().Add(-t.Retention).UnixMilli()
	n := sort.Search(int(extent.End-extent.Start), func(i int) bool {
		if err != nil {
			return true
		}
		var before uint64
		var timestamp int64
		if before, timestamp, err = l.recordMark(t.ID, number, extent.Start+int64(i)); err != nil {
			return true
		}
		inTime := t.Retention == 0 || timestamp >= oldest
		inSize := t.RetentionBytes == 0 || end-before <= uint64(t.RetentionBytes)
		return inTime && inSize
	})
	return extent.Start + int64(n), err
}

func (l *Log) recordMark(id TopicID, number int32, offset int64) (before uint64, timestamp int64, err error) {
	err = l.read(func() error {
		value, err := l.get(recordKey(id, number, offset))
		if err == nil {
			before, timestamp, err = readRecordHeader(value)
		}
		return err
	})
	return before, timestamp, err
}

// trimPartition makes the partition start at an offset. The range that is deleted begins at
// its first key, not at its former start, for the reason that trim gives.
func (l *Log) trimPartition(id TopicID, number int32, start int64) (removed int64, err error) {
	step := l.begin()
	p, err := l.partition(id, number)
	if err != nil || start <= l.extent(p).Start { // gone, or somebody else has done it
		step.Abort()
		return 0, err
	}
	at := p.tail.mark64
	if start < at.offset {
		at.offset = start
		if at.bytes, _, err = l.recordMark(id, number, start); err != nil {
			step.Abort()
			return 0, err
		}
	}
	l.reading.Lock()
	removed, step.gives = at.offset-p.start.offset, at.bytes-p.start.bytes
	p.start = at
	l.reading.Unlock()
	must(step.wb.DeleteRange(recordKey(id, number, 0), recordKey(id, number, at.offset), nil))
	if at == p.tail.mark64 {
		must(step.wb.Set(recordKey(id, number, at.offset-1), lastRecord(p.tail), nil))
	}
	must(step.wb.Set(kindExtent.channelKey(id, number), encodeExtent(at.offset, at.bytes), nil))
	return removed, step.Commit()
}

// lastRecord stands in the place of the last record of a partition whose records are all deleted. It lies before the
// partition's start, so that nobody reads it, has neither key nor value, and ends where that record ended: what
// recovery learns from it is the timestamp that the next record must not go behind.
func lastRecord(t tail) []byte {
	value := encodeRecord(&TopicRecord{})
	sealRecord(value, t.bytes-recordSize(value), t.timestamp)
	return value
}
