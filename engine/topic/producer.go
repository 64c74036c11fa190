package topic

import (
	"context"
	"errors"
	"fmt"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/store"
)

// Producer is the client of those who write to topics without being a stage. Its records claim
// what it has sent before, and what it has observed. It is not safe for concurrent use.
type Producer struct {
	log     *store.Log
	session causal.Session
}

// NewProducer makes a producer that knows nothing yet.
func NewProducer(log *store.Log) *Producer { return &Producer{log: log} }

// Continue observes the last record of each partition of a topic: at least everything that this producer sent to it in an
// earlier life, and, where nobody else writes to it, all that it had observed by then. Nobody else keeps count of either.
func (p *Producer) Continue(t store.Topic) error {
	for i, e := range t.Extents {
		if e.End == 0 {
			continue
		}
		at := causal.Coordinate{Channel: ChannelOf(t, int32(i)), Offset: e.End - 1}
		clock, err := ClockAt(p.log, at)
		if err != nil {
			return err
		}
		p.session.Observe(causal.Record{Channel: at.Channel, Offset: at.Offset, Clock: clock})
	}
	return nil
}

// Observe says that the record was read: whatever is sent from here on comes after it and all
// that it claims.
func (p *Producer) Observe(r causal.Record) { p.session.Observe(r) }

// Truncate forgets the claims that no log holds any more, and says how many.
func (p *Producer) Truncate() (int, error) {
	bounds, err := Bounds(p.log, p.session.Stamp())
	if err != nil {
		return 0, err
	}
	return p.session.Truncate(bounds), nil
}

// Send stamps the records and appends them in order, as one: all of them or none. It returns where they stand,
// once they are durable. While the log has no room it waits for some, as long as ctx lasts.
func (p *Producer) Send(ctx context.Context, records ...Record) ([]causal.Coordinate, error) {
	step, err := Begin(ctx, p.log)
	if err != nil {
		return nil, err
	}
	var own causal.Session // not claimed before it is acknowledged, but by the records behind it
	at := make([]causal.Coordinate, len(records))
	for i, r := range records {
		if at[i], err = Append(step, r, p.session.Stamp().Merge(own.Stamp())); err != nil {
			step.Abort()
			return nil, err
		}
		own.Appended(at[i])
	}
	if err := step.Commit(); err != nil {
		return nil, err
	}
	for _, c := range at {
		p.session.Appended(c)
	}
	return at, nil
}

// Begin starts a step of the log, and waits while there is no room for one.
func Begin(ctx context.Context, log *store.Log) (*store.Step, error) {
	for {
		step, err := log.Begin()
		if !errors.Is(err, store.ErrFull) {
			return step, err
		}
		if err := log.Unblocked(ctx); err != nil {
			return nil, err
		}
	}
}

// Append adds a record with its clock to a step and says where it will stand.
func Append(step *store.Step, r Record, clock causal.Clock) (causal.Coordinate, error) {
	stamped, err := r.Stamped(clock)
	if err != nil {
		return causal.Coordinate{}, err
	}
	offset, err := step.Append(r.Topic, r.Partition, stamped)
	if err != nil {
		return causal.Coordinate{}, fmt.Errorf("append: %w", err)
	}
	return causal.Coordinate{Channel: causal.Channel{Topic: causal.TopicID(r.Topic), Partition: r.Partition}, Offset: offset}, nil
}
