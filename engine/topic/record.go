package topic

import (
	"errors"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/store"
)

// View answers the protocol's questions about the log.
type View struct{ Log *store.Log }

var _ causal.Log = View{}

// Topic describes a topic; false where there is none with this id (any more).
func (v View) Topic(id causal.TopicID) (causal.Topic, bool, error) {
	t, ok := v.Log.TopicByID(store.TopicID(id))
	if !ok {
		return causal.Topic{}, false, nil
	}
	out := causal.Topic{Name: t.Name, Partitions: make([]causal.Extent, len(t.Extents))}
	for i, e := range t.Extents {
		out.Partitions[i] = causal.Extent{Start: e.Start, End: e.End}
	}
	return out, true, nil
}

// State is the stored protocol state of a stage's task, for who looks at it from outside of the task.
type State struct {
	Log  *store.Log
	Task store.TaskID
}

var _ causal.Reader = State{}

// Get returns an entry, nil where there is none.
func (s State) Get(key string) ([]byte, error) { return s.Log.State(s.Task, key) }

// Bounds says what may be forgotten of a clock on this log (causal.Bounds). What a stage that is not run any more has not delivered is
// kept until it is run again or reset.
func Bounds(log *store.Log, clock causal.Clock) (causal.Clock, error) {
	tasks, err := log.Tasks()
	if err != nil {
		return causal.Clock{}, err
	}
	states := make([]causal.Reader, len(tasks))
	for i, task := range tasks {
		states[i] = State{log, task}
	}
	return causal.Bounds(clock, View{log}, states...)
}

// ChannelOf is the channel of a topic's partition.
func ChannelOf(t store.Topic, partition int32) causal.Channel {
	return causal.Channel{Topic: causal.TopicID(t.ID), Partition: partition}
}

// Fetched is a record of the log as the protocol receives it. It shares the record's bytes.
func Fetched(c causal.Channel, r store.TopicRecord) causal.Fetched {
	f := causal.Fetched{Channel: c, Offset: r.Offset, Timestamp: r.Timestamp, Key: r.Key, Value: r.Value}
	if len(r.Headers) > 0 {
		f.Headers = make([]causal.Header, len(r.Headers))
		for i, h := range r.Headers {
			f.Headers[i] = causal.Header(h)
		}
	}
	return f
}

// ClockAt is the clock of a record of the log; empty where retention has deleted it.
func ClockAt(log *store.Log, at causal.Coordinate) (causal.Clock, error) {
	records, err := log.ReadRecords(store.TopicID(at.Channel.Topic), at.Channel.Partition, at.Offset, 1)
	if errors.Is(err, store.ErrOffset) || err == nil && len(records) == 0 {
		return causal.Clock{}, nil
	}
	if err != nil {
		return causal.Clock{}, err
	}
	r, err := Fetched(at.Channel, records[0]).Open()
	return r.Clock, err
}

// Record is a record to append: as its author sees it, without a clock.
type Record struct {
	Topic     store.TopicID
	Partition int32
	Key       []byte // nil is null
	Value     []byte // nil is null
	Headers   []causal.Header
}

// Stamped is the record as the log stores it, with its clock. It fails where a header has
// the protocol's own name (causal.ErrReservedHeader).
func (r Record) Stamped(clock causal.Clock) (store.TopicRecord, error) {
	out := store.TopicRecord{Key: r.Key, Value: r.Value}
	sealed, err := causal.Seal(clock, r.Headers)
	if err != nil {
		return out, err
	}
	out.Headers = make([]store.TopicHeader, len(sealed))
	for i, h := range sealed {
		out.Headers[i] = store.TopicHeader(h)
	}
	return out, nil
}
