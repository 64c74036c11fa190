package control

import (
	"context"
	"errors"
	"fmt"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/store"
)

// Topics is what the verbs about topics do with a log: Local on one that this process owns, LogClient
// through the socket of the process that does.
type Topics interface {
	List(ctx context.Context) ([]store.Topic, error)
	Create(ctx context.Context, spec store.TopicSpec) (store.Topic, error)
	Delete(ctx context.Context, name string) error
	// Read returns records of a partition from an offset on, at most 1000 at once; none at the end.
	Read(ctx context.Context, at ReadAt) ([]store.TopicRecord, error)
	// Append appends records, each with the clock of the claims, and says where they stand.
	Append(ctx context.Context, a Append) ([]Place, error)
}

// Place is a record's place by its topic's name.
type Place struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
}

// String is TOPIC:PARTITION:OFFSET.
func (p Place) String() string { return fmt.Sprintf("%s:%d:%d", p.Topic, p.Partition, p.Offset) }

// ReadAt says what to read.
type ReadAt struct {
	Place
	Limit int
}

// Append says what to append.
type Append struct {
	Topic   string
	Records []AppendRecord
	// Claims go into each record's clock, with the clocks of what they claim. One on an offset that does not exist is refused unless Unchecked.
	Claims    []Place
	Unchecked bool
}

// AppendRecord is one record; nil is null. Its partition is that of its key.
type AppendRecord struct {
	Key, Value []byte
	Headers    []causal.Header
}

// ErrClaim is a claim on a record that does not exist.
var ErrClaim = errors.New("there is no such record to claim")

const readMost = 1000

// Local are the topics of a log of this process.
type Local struct{ Log *store.Log }

// List returns all topics by name.
func (l Local) List(context.Context) ([]store.Topic, error) { return l.Log.Topics(), nil }

// Create makes a topic.
func (l Local) Create(_ context.Context, spec store.TopicSpec) (store.Topic, error) {
	return l.Log.CreateTopic(spec)
}

// Delete removes a topic.
func (l Local) Delete(_ context.Context, name string) error { return l.Log.DeleteTopic(name) }

// Read reads records.
func (l Local) Read(_ context.Context, at ReadAt) ([]store.TopicRecord, error) {
	t, err := l.find(at.Topic)
	if err != nil {
		return nil, err
	}
	return l.Log.ReadRecords(t.ID, at.Partition, at.Offset, min(at.Limit, readMost))
}

func (l Local) find(name string) (store.Topic, error) {
	t, ok := l.Log.Topic(name)
	if !ok {
		return t, fmt.Errorf("%w: %s", store.ErrNoTopic, name)
	}
	return t, nil
}

// Append appends as one: all of the records or none.
func (l Local) Append(ctx context.Context, a Append) ([]Place, error) {
	t, err := l.find(a.Topic)
	if err != nil {
		return nil, err
	}
	clock, err := l.claims(a)
	if err != nil {
		return nil, err
	}
	step, err := topic.Begin(ctx, l.Log)
	if err != nil {
		return nil, err
	}
	places := make([]Place, len(a.Records))
	for i, r := range a.Records {
		at, err := topic.Append(step, topic.Record{
			Topic: t.ID, Partition: store.PartitionOf(r.Key, t.Partitions), Key: r.Key, Value: r.Value, Headers: r.Headers,
		}, clock)
		if err != nil {
			step.Abort()
			return nil, err
		}
		places[i] = Place{t.Name, at.Channel.Partition, at.Offset}
	}
	return places, step.Commit()
}

// claims is the clock of what is claimed: each record, and all that its own clock claims, since who reads neither the
// record's topic nor knows of it has to wait for its causes all the same.
func (l Local) claims(a Append) (clock causal.Clock, err error) {
	for _, c := range a.Claims {
		t, err := l.find(c.Topic)
		if err != nil {
			return clock, err
		}
		known := c.Partition >= 0 && int(c.Partition) < len(t.Extents) && c.Offset >= 0
		exists := known && c.Offset < t.Extents[c.Partition].End
		if !exists && (!a.Unchecked || c.Partition < 0 || c.Offset < 0) {
			return clock, fmt.Errorf("%w: %s", ErrClaim, c)
		}
		at := causal.Coordinate{Channel: topic.ChannelOf(t, c.Partition), Offset: c.Offset}
		if clock = clock.Merge(causal.NewClock(at)); !exists {
			continue
		}
		past, err := topic.ClockAt(l.Log, at)
		if err != nil {
			return clock, err
		}
		clock = clock.Merge(past)
	}
	return clock, nil
}
