package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/leat-run/leat/engine/commit"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// sinkNode is one sink and the goroutine that writes to it.
//
//	inbox -> batch (size or linger) -> order_key, encode -> Write, retried -> endings
type sinkNode struct {
	*node
	engine *Engine
	plan   *pipeline.Sink
	sink   Sink
	codec  Codec

	held    []delivery // taken and not written
	records []Record   // of the batch at hand, without those that failed
	origin  []int      // records[i] is of the batch's origin[i]
	policy  policy     // strictest of the records
	events  []commit.Event
	ackedAt time.Time // when endings were last told
}

const (
	// ackAfter bounds how long endings wait to be told together.
	ackAfter = time.Millisecond
	// ackEvents bounds how many wait.
	ackEvents = 1024
	// flushOnStop bounds the one attempt at what is left at a hard stop.
	flushOnStop = 5 * time.Second
)

func (e *Engine) newSink(s *pipeline.Sink) (*sinkNode, error) {
	codec := e.endpoints.Codecs[s.Encoder]
	if codec == nil {
		return nil, fmt.Errorf("engine: sink %s: there is no codec %q", s.Name, s.Encoder)
	}
	return &sinkNode{node: e.topology.nodes[s.Name], engine: e, plan: s, codec: codec}, nil
}

// run writes batches until ctx ends; then it makes one bounded attempt at what it holds.
// Nothing that goes wrong with a batch fails the node.
func (s *sinkNode) run(ctx context.Context) error {
	s.held = make([]delivery, 0, max(s.plan.BatchSize, chunkDeliveries))
	for {
		over, err := s.fill(ctx)
		if err != nil {
			s.flushOnStop(ctx)
			return nil
		}
		if err := s.writeHeld(ctx, over); err != nil {
			return nil // uncommitted: the next run replays it
		}
	}
}

// fill holds a batch at least, or reports that the wait for one is over: its linger ended,
// or the run drains and nothing more is worth waiting for.
func (s *sinkNode) fill(ctx context.Context) (over bool, err error) {
	if len(s.held) == 0 {
		if s.held, _, err = s.inbox.pop(ctx, s.held, cap(s.held)); err != nil {
			return false, err
		}
	}
	if len(s.held) >= s.plan.BatchSize {
		return false, nil
	}
	linger := time.NewTimer(s.plan.BatchTimeout)
	defer linger.Stop()
	for len(s.held) < s.plan.BatchSize {
		if over, err := s.more(ctx, linger.C); over || err != nil {
			return over, err
		}
	}
	return false, nil
}

// more takes what waits, or waits for it.
func (s *sinkNode) more(ctx context.Context, linger <-chan time.Time) (over bool, err error) {
	before := len(s.held)
	if s.held, _ = s.inbox.take(s.held, cap(s.held)-before); len(s.held) > before {
		return false, nil
	}
	select {
	case <-s.inbox.ready:
		return false, nil
	case <-linger:
		return true, nil
	case <-s.engine.hurry:
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// writeHeld writes the full batches, and what is left if it must not wait.
func (s *sinkNode) writeHeld(ctx context.Context, all bool) error {
	defer s.ack()
	done := 0
	for len(s.held)-done >= s.plan.BatchSize || all && len(s.held) > done {
		n := min(len(s.held)-done, s.plan.BatchSize)
		if err := s.write(ctx, s.held[done:done+n]); err != nil {
			return err
		}
		done += n
	}
	left := copy(s.held, s.held[done:])
	clear(s.held[left:])
	s.held = s.held[:left]
	return nil
}

// write takes a batch through all attempts and ends its branches.
func (s *sinkNode) write(ctx context.Context, batch []delivery) error {
	s.counts.in.Add(int64(len(batch)))
	if err := s.encode(batch); err != nil {
		return err
	}
	if len(s.records) > 0 {
		if err := s.deliver(ctx, batch); err != nil {
			return err
		}
	}
	if len(s.events) >= ackEvents || time.Since(s.ackedAt) > ackAfter {
		s.ack()
	}
	return nil
}

// encode makes the records. A message that cannot be encoded or has no order key ends here.
func (s *sinkNode) encode(batch []delivery) error {
	clear(s.records)
	s.records, s.origin, s.policy = s.records[:0], s.origin[:0], policy{}
	var last *edge
	for i := range batch {
		d := &batch[i]
		record, class, failure := s.record(d)
		if failure != nil {
			if err := s.giveUp(d, class, failure, 1); err != nil {
				return err
			}
			continue
		}
		s.records = append(s.records, record)
		s.origin = append(s.origin, i)
		if d.edge != last {
			s.policy, last = s.policy.join(d.edge.policy()), d.edge
		}
	}
	return nil
}

func (s *sinkNode) record(d *delivery) (Record, string, *runtime.Failure) {
	record := Record{Message: d.msg}
	if s.plan.OrderKey != nil {
		key, err := s.plan.OrderKey.Key(s.engine.view(&d.msg))
		if err != nil {
			return record, store.ClassPredicate, predicateFailure("order_key", err)
		}
		record.OrderKey = key
	}
	bytes, err := s.codec.Encode(d.msg)
	if err != nil {
		return record, store.ClassEncode, &runtime.Failure{
			Kind: runtime.KindOther, Deterministic: true, Message: runtime.Cut(err.Error(), runtime.MaxReason), Cause: err,
		}
	}
	record.Bytes = bytes
	return record, "", nil
}

// deliver writes the records until the sink takes them or the attempts are used up. An
// error is ctx's: nothing is known of the batch, it stays uncommitted.
func (s *sinkNode) deliver(ctx context.Context, batch []delivery) error {
	for attempts := 1; ; attempts++ {
		err := s.attempt(ctx, s.policy.timeout)
		if err == nil {
			s.delivered(batch)
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.counts.failed.Add(1)
		if s.policy.afterSink(attempts) != Retry {
			return s.refused(batch, err, attempts)
		}
		s.engine.log.Warn("a sink refused a batch: it is tried again", "node", s.name, "attempt", attempts, "error", err)
		s.counts.retries.Add(1)
		if err := s.engine.pause(ctx, s.policy, attempts); err != nil {
			return err
		}
	}
}

// attempt is one bounded Write.
func (s *sinkNode) attempt(ctx context.Context, timeout time.Duration) error {
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	s.counts.calls[0].Add(1)
	defer s.counts.calls[0].Add(1)
	observer := s.engine.opt.Observer
	if observer == nil {
		return s.sink.Write(ctx, s.records)
	}
	began := time.Now()
	err := s.sink.Write(ctx, s.records)
	observer.Written(s.plan, len(s.records), time.Since(began), err)
	return err
}

func (s *sinkNode) delivered(batch []delivery) {
	for _, i := range s.origin {
		s.events = append(s.events, commit.Event{Seq: batch[i].seq, Ending: commit.Delivered})
	}
	s.counts.out.Add(int64(len(s.origin)))
}

// refused ends what the sink did not take, each message as its own edge says.
func (s *sinkNode) refused(batch []delivery, cause error, attempts int) error {
	failure := &runtime.Failure{
		Kind: runtime.KindOther, Message: runtime.Cut(cause.Error(), runtime.MaxReason), Cause: cause,
	}
	for _, i := range s.origin {
		if err := s.giveUp(&batch[i], store.ClassDelivery, failure, attempts); err != nil {
			return err
		}
	}
	return nil
}

// giveUp ends one branch that cannot be delivered: dropped where its edge is optional.
func (s *sinkNode) giveUp(d *delivery, class string, f *runtime.Failure, attempts int) error {
	if d.edge.policy().finally() == Drop {
		s.counts.dropped.Add(1)
		s.events = append(s.events, commit.Event{Seq: d.seq, Ending: commit.Dropped})
		return nil
	}
	return s.engine.deadLetter(&fault{
		seq: d.seq, msg: &d.msg, node: s.name, edge: d.edge, class: class, failure: f, attempts: attempts,
	})
}

// ack tells the tracker what ended.
func (s *sinkNode) ack() {
	s.engine.apply(s.events)
	s.events = s.events[:0]
	s.ackedAt = time.Now()
}

// flushOnStop makes one bounded attempt at a batch that was being filled when the run was
// stopped hard. What it does not deliver stays uncommitted.
func (s *sinkNode) flushOnStop(ctx context.Context) {
	defer s.ack()
	if len(s.held) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushOnStop)
	defer cancel()
	if s.encode(s.held) == nil && len(s.records) > 0 && s.attempt(ctx, s.policy.timeout) == nil {
		s.delivered(s.held)
	}
}
