package store

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// Step is what is written to a log as one: appended records, the state of a stage's task, and
// dead letters become durable together or not at all. Make it with Begin and end it with
// Commit or Abort: until then nobody else appends. It belongs to one goroutine.
type Step struct {
	log     *Log
	wb      *pebble.Batch
	tails   map[*partition]tail
	order   []*partition // of tails, as they were first appended to
	letters []*letterCall
	gives   uint64 // bytes that it deletes, about: the disk gets them back with the next flush
}

// stepCall is a step on its way to the committer.
type stepCall struct {
	*ticket
	wb      *pebble.Batch
	letters []*letterCall
	ends    []partitionEnd
	gives   uint64
}

// partitionEnd is where a partition ends once the group is durable.
type partitionEnd struct {
	partition *partition
	end       mark64
}

// MaxStepBytes bounds what one step writes.
const MaxStepBytes = 256 << 20

// Begin starts a step. It returns ErrFull while there is no room: wait for Unblocked.
func (l *Log) Begin() (*Step, error) {
	if err := l.space.admit(); err != nil {
		return nil, err
	}
	return l.begin(), nil
}

func (l *Log) begin() *Step {
	l.appending.Lock()
	return &Step{log: l, wb: l.db.NewBatch(), tails: map[*partition]tail{}}
}

// Append adds a record and returns the offset that it will have. The record is read before
// it returns.
func (s *Step) Append(id TopicID, number int32, r TopicRecord) (offset int64, err error) {
	p, err := s.log.partition(id, number)
	if err != nil {
		return 0, err
	}
	at, begun := s.tails[p]
	if !begun {
		at = p.tail
		s.order = append(s.order, p)
	}
	value := encodeRecord(&r)
	if s.wb.Len()+len(value) > MaxStepBytes {
		return 0, fmt.Errorf("%w: more than %d bytes in one step", ErrTooLarge, MaxStepBytes)
	}
	timestamp := max(s.log.opt.Now().UnixMilli(), at.timestamp)
	sealRecord(value, at.bytes, timestamp)
	must(s.wb.Set(recordKey(id, number, at.offset), value, nil))
	s.tails[p] = tail{mark64{at.offset + 1, at.bytes + recordSize(value)}, timestamp}
	return at.offset, nil
}

// PutLetter puts a dead letter, as Store.PutLetter does.
func (s *Step) PutLetter(l DeadLetter) {
	s.letters = append(s.letters, &letterCall{ticket: newTicket(), id: l.ID, created: l.CreatedAt, body: encodeLetter(&l)})
}

// DeleteLetter removes a dead letter.
func (s *Step) DeleteLetter(id string) {
	s.letters = append(s.letters, &letterCall{ticket: newTicket(), id: id})
}

// Abort drops the step: nothing of it was or will be written.
func (s *Step) Abort() {
	_ = s.wb.Close() // returns memory
	s.log.appending.Unlock()
}

// Commit makes the step durable and returns once it is. Errors: ErrClosed, with nothing
// written; ErrFailed, after which the step may or may not be there.
func (s *Step) Commit() error {
	ticket, err := s.enqueue()
	if err != nil {
		return err
	}
	return s.log.wait(ticket)
}

func (s *Step) enqueue() (*ticket, error) {
	defer s.log.appending.Unlock()
	c := &stepCall{ticket: newTicket(), wb: s.wb, letters: s.letters, gives: s.gives}
	for _, p := range s.order {
		c.ends = append(c.ends, partitionEnd{p, s.tails[p].mark64})
	}
	ticket, err := s.log.enqueue(func(q *queue) *ticket { return q.putStep(c) })
	if err != nil {
		return nil, err
	}
	for _, p := range s.order {
		p.tail = s.tails[p]
	}
	return ticket, nil
}

// AppendRecords is one step that appends records to a partition. It returns the first offset.
func (l *Log) AppendRecords(id TopicID, number int32, records []TopicRecord) (first int64, err error) {
	step, err := l.Begin()
	if err != nil {
		return 0, err
	}
	for i, r := range records {
		offset, err := step.Append(id, number, r)
		if err != nil {
			step.Abort()
			return 0, err
		}
		if i == 0 {
			first = offset
		}
	}
	return first, step.Commit()
}

// addStep puts a step into the group. A letter of it that cannot be written fails the store: a
// step must not become durable in part.
func (c *committer) addStep(g *group, call *stepCall) {
	must(g.wb.Apply(call.wb, nil))
	_ = call.wb.Close() // returns memory
	for _, letter := range call.letters {
		if err := c.addLetter(g, letter); err != nil {
			c.s.fail(fmt.Errorf("step: dead letter %s: %w", letter.id, err))
			return
		}
	}
	c.s.given.Add(call.gives)
	g.tickets = append(g.tickets, call.ticket)
	g.ends = append(g.ends, call.ends...)
}

// publish lets readers see what has become durable.
func (e partitionEnd) publish() {
	l := e.partition.log
	l.reading.Lock()
	defer l.reading.Unlock()
	if e.end.offset > e.partition.durable.offset {
		e.partition.durable = e.end
		e.partition.notify()
	}
}
