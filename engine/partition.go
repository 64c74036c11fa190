package engine

import (
	"context"
	"hash/fnv"

	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// partitioner gives equal keys to the same worker, in order.
type partitioner struct {
	node  *transformNode
	lanes []chan ticketed // one per worker
	out   *outbox         // for messages without a key
}

// ticketed is a delivery and its place in the node's order.
type ticketed struct {
	ticket uint64
	delivery
}

// partitionLane is how many messages wait for one worker.
const partitionLane = 16

func newPartitioner(t *transformNode) *partitioner {
	p := &partitioner{node: t, lanes: make([]chan ticketed, t.plan.Workers), out: t.engine.newOutbox(&t.out)}
	for i := range p.lanes {
		p.lanes[i] = make(chan ticketed, partitionLane)
	}
	return p
}

// run deals messages out until ctx ends.
func (p *partitioner) run(ctx context.Context) error {
	s := p.node.sequencer
	buf := make([]delivery, 0, chunkDeliveries)
	for {
		if s != nil && s.wait(ctx) != nil {
			return nil
		}
		got, ticket, err := p.node.inbox.pop(ctx, buf[:0], chunkDeliveries)
		if err != nil {
			return nil
		}
		if s != nil {
			s.took(len(got))
		}
		for i := range got {
			if err := p.deal(ctx, ticketed{ticket + uint64(i), got[i]}); err != nil {
				return stopped(ctx, err)
			}
		}
		clear(got)
	}
}

func (p *partitioner) deal(ctx context.Context, d ticketed) error {
	key, err := p.node.plan.PartitionBy.Key(p.node.engine.view(&d.msg))
	if err != nil {
		return p.refuse(ctx, &d, err)
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(key))
	select {
	case p.lanes[h.Sum32()%uint32(len(p.lanes))] <- d:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// refuse dead-letters a message that has no key (class predicate).
func (p *partitioner) refuse(ctx context.Context, d *ticketed, cause error) error {
	err := p.node.engine.deadLetter(&fault{
		seq: d.seq, msg: &d.msg, node: p.node.name, edge: d.edge, class: store.ClassPredicate, attempts: 1,
		failure: predicateFailure("partition_by", cause), flavor: p.node.plan.Flavor,
	})
	if err != nil {
		return err
	}
	s := p.node.sequencer
	if s == nil {
		return p.out.flush(ctx)
	}
	s.put(ctx, parcel{ticket: d.ticket, n: 1, out: p.out})
	p.out = s.outbox(p.node.engine, &p.node.out)
	return nil
}

// runPartition is run for one worker behind a partitioner.
func (w *worker) runPartition(ctx context.Context, lane <-chan ticketed) error {
	defer w.flush(ctx) // what ended, ended
	for {
		select {
		case d := <-lane:
			if err := w.process(ctx, &d.delivery); err != nil {
				return stopped(ctx, err)
			}
			switch {
			case w.node.sequencer != nil:
				w.hand(ctx, d.ticket, 1)
			case w.due() || len(lane) == 0:
				w.flush(ctx)
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// predicateFailure says that a key cannot be made.
func predicateFailure(key string, cause error) *runtime.Failure {
	return &runtime.Failure{
		Kind: runtime.KindInput, Deterministic: true, Cause: cause,
		Message: runtime.Cut(key+" cannot be evaluated: "+cause.Error(), runtime.MaxReason),
		Hint:    "guard it with has(...), or filter such messages with a `when`",
	}
}
