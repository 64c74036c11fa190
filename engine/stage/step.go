package stage

import (
	"context"
	"errors"
	"fmt"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/codec"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// step is what was done and is not written yet.
type step struct {
	task      *task
	received  int
	delivered int
	bytes     int // of what it writes
	emissions []emission
	folds     map[string][]byte // by fold key; nil deletes
	letters   []store.DeadLetter
	deleted   []string // letters that were replayed
}

// emission is a record to append, with the clock that it had when it was made.
type emission struct {
	topic.Record
	stamp causal.Clock
}

// Delivery is a record that the guest has taken.
type Delivery struct {
	Partition int32
	At        causal.Coordinate
	Record    causal.Record
	Usage     runtime.Usage
	Emitted   []Emission
	State     []byte // of a fold, after it; nil is none
	// Letter is set where the record became a dead letter instead.
	Letter *store.DeadLetter
}

// full says that the step is to be written.
func (s *step) full() bool {
	return s.received >= stepRecords || s.delivered >= stepRecords || s.bytes >= stepBytes
}

// advance does one step, and says whether there was anything to do.
func (t *task) advance(ctx context.Context) (worked bool, err error) {
	t.unblock()
	for !t.step.full() && ctx.Err() == nil {
		if r, ok := t.protocol.Next(); ok {
			if err := t.deliver(ctx, r); err != nil {
				return false, err
			}
			continue
		}
		in, err := t.fetch()
		if err != nil {
			return false, err
		}
		if in == nil {
			break
		}
		if err := t.receive(in); err != nil {
			return false, err
		}
	}
	if t.step.received == 0 && t.step.delivered == 0 && len(t.step.letters) == 0 {
		return false, nil
	}
	return true, t.commit(ctx)
}

// fetch returns an input with fetched records: the one with the fewest received of late goes first, by
// turns. nil if all are at their ends.
func (t *task) fetch() (*input, error) {
	for range t.inputs {
		in := t.inputs[0]
		t.inputs = append(t.inputs[1:], in)
		if len(in.fetched) > 0 {
			return in, nil
		}
		records, err := t.stage.log.ReadRecords(store.TopicID(in.channel.Topic), in.channel.Partition, in.next.Load(), fetchRecords)
		if err != nil {
			return nil, t.fetchFailed(in, err)
		}
		if in.fetched = records; len(records) > 0 {
			return in, nil
		}
	}
	return nil, nil
}

func (t *task) fetchFailed(in *input, err error) error {
	var outside *store.OffsetError
	if errors.As(err, &outside) {
		return fmt.Errorf("%s: the position is %d, but the log starts at %d and ends at %d: %d records were deleted unread; run again to be told the ways out: %w",
			t.stage.topicName(in.channel.Topic), outside.Offset, outside.Start, outside.End, outside.Start-outside.Offset, err)
	}
	return fmt.Errorf("fetch %s: %w", t.stage.topicName(in.channel.Topic), err)
}

// receive gives the next fetched record to the protocol.
func (t *task) receive(in *input) error {
	r := in.fetched[0]
	in.fetched = in.fetched[1:]
	f := topic.Fetched(in.channel, r)
	if err := t.protocol.Receive(f); err != nil {
		return err
	}
	in.next.Store(r.Offset + 1)
	t.step.received++
	t.step.bytes += len(f.Key) + len(f.Value) + headerBytes(f.Headers)
	return nil
}

// deliver runs the guest on a record whose causes were delivered.
func (t *task) deliver(ctx context.Context, r causal.Record) error {
	answer, usage, err := t.call(ctx, r)
	var failure *runtime.Failure
	if errors.As(err, &failure) {
		return t.failed(r, failure, usage)
	}
	if err != nil {
		return err
	}
	if err := t.protocol.Delivered(); err != nil {
		return err
	}
	t.step.take(r, answer, t.protocol.Stamp())
	delete(t.blocked, r.Channel)
	t.counts.Delivered++
	t.report(Delivery{At: r.At(), Record: r, Usage: usage, Emitted: answer.Emit, State: answer.State})
	return nil
}

func (t *task) report(d Delivery) {
	if t.stage.opt.Delivered != nil {
		d.Partition = t.id.Partition
		t.stage.opt.Delivered(d)
	}
}

// call is one call of the guest; its fault is a *runtime.Failure.
func (t *task) call(ctx context.Context, r causal.Record) (Answer, runtime.Usage, error) {
	s := t.stage
	c := Call{Entry: s.plan.Entry, Topic: s.topicName(r.Channel.Topic), Record: r, Raw: s.decoder[r.Channel.Topic] == codec.NameRaw}
	var err error
	if r.Value != nil {
		if c.Payload, err = codec.All()[s.decoder[r.Channel.Topic]].Decode(r.Value); err != nil {
			return Answer{}, runtime.Usage{}, decodeFailure(err)
		}
	}
	if c.Entry == runtime.EntryFold {
		if c.State, err = t.state(r.Key); err != nil {
			return Answer{}, runtime.Usage{}, err
		}
	}
	result, err := t.worker.Apply(ctx, c.Message())
	if err != nil {
		return Answer{}, result.Usage, err
	}
	answer, failure := ReadAnswer(s.plan, r.Key, result)
	if failure != nil {
		return Answer{}, result.Usage, failure
	}
	return answer, result.Usage, nil
}

// state is the fold's of a key, as the step so far leaves it.
func (t *task) state(key []byte) ([]byte, error) {
	foldKey := causal.FoldKey(key)
	if state, ok := t.step.folds[string(foldKey)]; ok {
		return state, nil
	}
	return t.stage.log.Fold(t.id, foldKey)
}

// take keeps what a delivery made for the write.
func (s *step) take(r causal.Record, a Answer, stamp causal.Clock) {
	s.delivered++
	plan := s.task.stage.plan
	if plan.Entry == runtime.EntryFold {
		s.folds[string(causal.FoldKey(r.Key))] = a.State
		s.bytes += len(a.State)
	}
	for _, e := range a.Emit {
		to := s.task.stage.outputs[e.Topic]
		s.emissions = append(s.emissions, emission{
			Record: topic.Record{Topic: to.ID, Partition: store.PartitionOf(e.Key, to.Partitions), Key: e.Key, Value: e.Value, Headers: e.Headers},
			stamp:  stamp,
		})
		s.bytes += len(e.Key) + len(e.Value) + headerBytes(e.Headers) + stamp.Size()
	}
}

func headerBytes(headers []causal.Header) (n int) {
	for _, h := range headers {
		n += len(h.Name) + len(h.Value)
	}
	return n
}

// reset begins the next step.
func (s *step) reset() {
	clear(s.emissions)
	clear(s.folds)
	s.received, s.delivered, s.bytes = 0, 0, 0
	s.emissions, s.letters, s.deleted = s.emissions[:0], nil, nil
}
