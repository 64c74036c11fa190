package causal

import (
	"fmt"
	"slices"
)

// Task is the protocol's state for one partition of a stage: which records may be delivered,
// and with which clock its emissions go out. It decides and remembers; the host does.
//
// A host's step, which it commits as one atomic write or not at all:
//
//	after a Restore: Next as below, since another scope may have opened a gate
//	for each fetched record: Receive, then until Next has none:
//	    run the guest on the record; if it failed: Block, and go on
//	    Delivered, then for each emission: Stamp, append, Appended
//	for each channel whose position went on without a record: Advance, then Next as above
//	Flush: write the mutations with the emissions and the consumed positions
//
// Draining Next after each Receive makes the order of delivery a function of the order of
// arrival, however the fetches were cut into steps.
//
// A step that cannot be written, and any error, ends the Task: Restore makes the next one from
// what was written last. A Task is not safe for concurrent use.
type Task struct {
	stored Reader
	scope  Scope
	inputs []*input // sorted by channel
	on     map[Channel]*input

	// ready are the inputs whose head's gate is open, in the order in which it opened.
	ready []*input

	// carried is the delivered past on channels that the stage no longer consumes.
	carried vector
	// own is what the stage appended to its sinks. Memory only.
	own vector
	// past is the stamp: at all times the pointwise maximum of all frontiers, advertised
	// clocks, carried and own. Kept up as they rise, since an emission must not cost a union.
	past vector

	scopeChanged, carriedChanged bool
	// retired are the deletions of what departed inputs left.
	retired []Mutation

	counts Counts
	failed error
}

// Counts are a task's counters since its Restore, and its gauges.
type Counts struct {
	Received  int64 // records taken in: replays are not among them
	Replays   int64 // records dropped because they were received before
	Delivered int64
	Truncated int64 // entries removed by Truncate
	Held      int64 // gauge: records in the hold queues
	Stamp     int   // gauge: entries of the stamp
}

// Counts returns the counters and gauges as they stand.
func (t *Task) Counts() Counts {
	c := t.counts
	for _, in := range t.inputs {
		c.Held += in.queue.len()
	}
	c.Stamp = len(t.past.entries)
	return c
}

// Receive takes in one record as it was fetched. Records of one channel come in the order of
// their offsets; one that was received before is dropped and counted. The task keeps the
// record's bytes until it is delivered or flushed.
func (t *Task) Receive(f Fetched) error {
	in, err := t.input(f.Channel)
	if err != nil {
		return err
	}
	if in.received(f.Offset) {
		t.counts.Replays++
		return nil
	}
	if f.Offset < in.position {
		return t.fail(fmt.Errorf("causal: record %s came after its channel's position was said to be %d", Coordinate{f.Channel, f.Offset}, in.position))
	}
	r, err := f.Open()
	if err != nil {
		return t.fail(err)
	}
	t.counts.Received++
	return t.fail(t.admit(in, r))
}

// admit folds the record's clock, and puts the record into its queue.
func (t *Task) admit(in *input, r Record) error {
	in.position = r.Offset + 1
	if in.advertised.merge(r.Clock) {
		in.advertisedChanged = true
		t.past.merge(r.Clock)
	}
	in.queue.push(r)
	if in.head != nil {
		return nil
	}
	return t.promote(in)
}

// Advance reports that everything below the offset was fetched or will never be: it is how the
// frontier passes skipped offsets with no record after them. A report that is behind what is
// known changes nothing.
func (t *Task) Advance(c Channel, position int64) error {
	in, err := t.input(c)
	if err != nil || position < 0 || in.seen && position <= in.position {
		return err
	}
	in.position = position
	if in.queue.empty() {
		t.raise(in, position-1)
	}
	return nil
}

// Next is the record to deliver now; false where every held record waits for a cause, or for its
// channel to be unblocked. It changes nothing.
func (t *Task) Next() (Record, bool) {
	for _, in := range t.ready {
		if !in.blocked && t.failed == nil {
			return in.head.record, true
		}
	}
	return Record{}, false
}

// Delivered says that the guest has taken the record that Next gave last.
func (t *Task) Delivered() error {
	if t.failed != nil {
		return t.failed
	}
	i := slices.IndexFunc(t.ready, func(in *input) bool { return !in.blocked })
	if i < 0 {
		return t.fail(fmt.Errorf("causal: a delivery of nothing"))
	}
	in := t.ready[i]
	t.ready = slices.Delete(t.ready, i, i+1)
	t.counts.Delivered++
	in.queue.pop()
	in.head = nil
	return t.fail(t.promote(in))
}

// promote makes the first record of the queue its channel's head, and lifts the frontier to
// all that is thereby known to be done: what was just delivered, and what was skipped after it. The first record that is ever seen is so
// the baseline (seed): what is before it is not a gap. Before any later one lie markers, aborted records, holes (bridge).
func (t *Task) promote(in *input) error {
	if !in.queue.empty() {
		record, err := in.queue.peek(t.stored)
		if err != nil {
			return err
		}
		in.head = t.headOf(in, record)
	}
	t.raise(in, in.clean())
	if in.head != nil {
		t.gate(in)
	}
	return nil
}

// Stamp is the clock of an emission made now: everything that was delivered or received here,
// carried, or appended by the stage itself. No other place makes one.
func (t *Task) Stamp() Clock { return t.past.clock() }

// Appended says where an emission went. The stage's next one comes after it.
func (t *Task) Appended(at Coordinate) error {
	if t.failed != nil {
		return t.failed
	}
	if !t.scope.Appends(at.Channel.Topic) {
		return t.fail(fmt.Errorf("causal: an emission at %s, which is no declared sink", at))
	}
	t.own.raise(at)
	t.past.raise(at)
	return nil
}

// Block stops deliveries from a channel: the host does so when the guest fails on the head.
// Other channels go on, but for the records that this head is a cause of.
func (t *Task) Block(c Channel) error { return t.setBlocked(c, true) }

// Unblock allows deliveries from the channel again: the next try.
func (t *Task) Unblock(c Channel) error { return t.setBlocked(c, false) }

func (t *Task) setBlocked(c Channel, blocked bool) error {
	in, err := t.input(c)
	if err == nil {
		in.blocked = blocked
	}
	return err
}

// Position is the offset of the channel that the host has to fetch next; false where nothing is
// known of the channel yet and its declared start decides, or where it is not consumed.
func (t *Task) Position(c Channel) (int64, bool) {
	in := t.on[c]
	if in == nil || !in.seen {
		return 0, false
	}
	return in.position, true
}

// Frontier is the channel's frontier; false as for Position.
func (t *Task) Frontier(c Channel) (int64, bool) {
	in := t.on[c]
	if in == nil || !in.seen {
		return 0, false
	}
	return in.frontier, true
}

func (t *Task) input(c Channel) (*input, error) {
	if t.failed != nil {
		return nil, t.failed
	}
	in := t.on[c]
	if in == nil {
		return nil, fmt.Errorf("causal: channel %s is not consumed", c)
	}
	return in, nil
}

// fail remembers the first error: from then on the task refuses everything with it.
func (t *Task) fail(err error) error {
	if err != nil {
		t.failed = fmt.Errorf("%w: %w", ErrFailed, err)
	}
	return err
}
