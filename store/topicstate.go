package store

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// TaskID names one task of a causal stage: the one that handles a partition.
type TaskID struct {
	Stage     string // at most 255 bytes
	Partition int32
}

// SetState writes an entry of the protocol's state of a task; a nil value deletes it.
func (s *Step) SetState(t TaskID, key string, value []byte) {
	s.set(entryKey(kindStage, t, key), value)
}

// SetFold writes the state that a fold has for a key (causal.FoldKey); nil deletes it.
func (s *Step) SetFold(t TaskID, key, value []byte) {
	s.set(entryKey(kindFold, t, key), value)
}

// SetPosition says that everything below the offset of a channel was consumed by the task.
func (s *Step) SetPosition(t TaskID, id TopicID, partition int32, offset int64) {
	w := wireWriter{buf: []byte{positionFormat}}
	w.uint(uint64(offset))
	s.set(positionKey(t, id, partition), w.buf)
}

func (s *Step) set(key, value []byte) {
	if value == nil {
		must(s.wb.Delete(key, nil))
		return
	}
	must(s.wb.Set(key, value, nil))
}

// ForgetStage removes all that the log keeps for a stage, but its dead letters. It is done while there is no
// room for appends, too.
func (l *Log) ForgetStage(stage string) error {
	step := l.begin()
	for _, k := range []kind{kindStage, kindFold, kindPosition} {
		prefix := k.stageKey(stage)
		must(step.wb.DeleteRange(prefix, prefixEnd(prefix), nil))
	}
	step.gives = 1 // nobody counts them
	return step.Commit()
}

// State is an entry of the protocol's state of a task, nil where there is none.
func (l *Log) State(t TaskID, key string) ([]byte, error) {
	return l.valueOf(entryKey(kindStage, t, key))
}

// Fold is the state that a fold has for a key, nil where there is none.
func (l *Log) Fold(t TaskID, key []byte) ([]byte, error) {
	return l.valueOf(entryKey(kindFold, t, key))
}

// Position is what SetPosition wrote last, 0 where it never did.
func (l *Log) Position(t TaskID, id TopicID, partition int32) (int64, error) {
	value, err := l.valueOf(positionKey(t, id, partition))
	if err != nil || value == nil {
		return 0, err
	}
	return decodePosition(value)
}

func decodePosition(value []byte) (int64, error) {
	r := openValue(value, positionFormat, "position")
	offset := int64(r.uint())
	if r.err == nil && offset < 0 {
		r.fail("no offset")
	}
	return offset, r.close()
}

func (l *Log) valueOf(key []byte) (value []byte, err error) {
	err = l.read(func() error {
		value, err = l.get(key)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		return err
	})
	return value, err
}

// States calls fn with the entries of the protocol's state of a task in the order of their keys,
// Folds with those of its fold, until fn returns an error, which they then return. fn may keep
// what it is given and may call the log.
func (l *Log) States(t TaskID, fn func(key string, value []byte) error) error {
	return l.entries(kindStage.taskKey(t), func(key, value []byte) error { return fn(string(key), value) })
}

// Folds: see States.
func (l *Log) Folds(t TaskID, fn func(key, value []byte) error) error {
	return l.entries(kindFold.taskKey(t), fn)
}

// StatesFrom returns the entries of a task's state that begin with prefix, from a key on, at most so many
// and of at most 1 MiB together but for the last, in the order of their keys. The caller owns them.
func (l *Log) StatesFrom(t TaskID, prefix, from string, most int) (out []StateEntry, err error) {
	chunk, _, err := l.entryChunk(entryKey(kindStage, t, from), prefixEnd(entryKey(kindStage, t, prefix)), most)
	task := len(kindStage.taskKey(t))
	for _, e := range chunk {
		out = append(out, StateEntry{string(e.key[task:]), e.value})
	}
	return out, err
}

// StateEntry is one entry of a task's state.
type StateEntry struct {
	Key   string
	Value []byte
}

// TaskPartitions lists the partitions for which the protocol's state of a stage holds anything.
func (l *Log) TaskPartitions(stage string) (out []int32, err error) {
	tasks, err := l.tasks(kindStage.stageKey(stage))
	for _, t := range tasks {
		out = append(out, t.Partition)
	}
	return out, err
}

// Tasks lists the tasks of all stages for which the protocol's state holds anything, whether they run or not.
func (l *Log) Tasks() ([]TaskID, error) { return l.tasks(kindStage.start()) }

// tasks skips from the first entry of each task to that of the next.
func (l *Log) tasks(prefix []byte) (out []TaskID, err error) {
	for from := prefix; ; {
		chunk, _, err := l.entryChunk(from, prefixEnd(prefix), 1)
		if err != nil || len(chunk) == 0 {
			return out, err
		}
		task, err := parseTaskKey(chunk[0].key)
		if err != nil {
			return out, err
		}
		out = append(out, task)
		from = prefixEnd(kindStage.taskKey(task))
	}
}

type entry struct{ key, value []byte }

// entries reads a chunk at a time, like Rows and for the same reason.
func (l *Log) entries(prefix []byte, fn func(key, value []byte) error) error {
	for from := prefix; from != nil; {
		var chunk []entry
		var err error
		if chunk, from, err = l.entryChunk(from, prefixEnd(prefix), chunkRows); err != nil {
			return err
		}
		for _, e := range chunk {
			if err := fn(e.key[len(prefix):], e.value); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *Log) entryChunk(from, end []byte, most int) (chunk []entry, next []byte, err error) {
	err = l.read(func() error {
		it, err := l.db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: end})
		if err != nil {
			return fmt.Errorf("store: read state: %w", err)
		}
		size := 0
		for ok := it.First(); ok; ok = it.Next() {
			if len(chunk) == most || size > chunkBytes {
				next = bytes.Clone(it.Key())
				break
			}
			chunk, size = append(chunk, entry{bytes.Clone(it.Key()), bytes.Clone(it.Value())}), size+len(it.Value())
		}
		return errors.Join(it.Error(), it.Close())
	})
	return chunk, next, err
}
