package store

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/leat-run/leat/runtime"
)

// committer turns queued calls into groups. It is the only goroutine that assigns seqs
// and the only one that writes, so that groups reach the log in the order of their seqs
// and a crash cannot leave a hole. It does not wait for the disk: while up to
// groupsInFlight groups sync, it builds the next. (Concurrent committers, each with its
// own batch, were rejected: their batches reach the log in any order, and a crash leaves
// holes below a row that was acknowledged.)
type committer struct {
	s        *Store
	slots    chan struct{} // one token per group in flight
	inFlight chan *group
	written  struct { // what the groups built so far amount to
		mark
		checkpoint Checkpoint
		trimmed    mark
	}
}

// group is one batch on its way to the disk.
type group struct {
	wb      *pebble.Batch
	tickets []*ticket
	places  map[string][]byte // of the letters in this group; nil for one that it deletes
	mark
	checkpoint Checkpoint
	trimmed    mark
	ends       []partitionEnd
	flush      bool // the memtable, once the batch is in it
}

func (s *Store) start() {
	c := &committer{
		s:        s,
		slots:    make(chan struct{}, groupsInFlight),
		inFlight: make(chan *group, groupsInFlight),
	}
	c.written.mark = s.durable.mark
	c.written.checkpoint = s.durable.checkpoint
	c.written.trimmed = s.durable.trimmed
	s.ended.Go(c.run)
	s.ended.Go(c.acknowledge)
	s.ended.Go(func() { s.space.watch(s.closing) })
	s.ended.Go(func() { s.slow.run(s.closing) })
	s.ended.Go(func() { s.presence.run(s.closing) })
}

// run builds and applies groups until the queue is closed and empty. It takes work only
// when a slot is free: what arrives meanwhile joins the group.
func (c *committer) run() {
	defer close(c.inFlight)
	for {
		c.slots <- struct{}{}
		w, ok := c.s.queue.take(c.s.opt.WriteRows, yields(c.s.opt.WriteWait))
		if !ok {
			return
		}
		g := c.build(w)
		if c.s.Err() != nil {
			return // what was built may be half of what was asked
		}
		if err := c.apply(g); err != nil {
			c.s.fail(err) // what of the group landed is unknown: no seq may follow
			return
		}
		c.inFlight <- g
	}
}

// worthFlush says whether what was given up, with a trim since before, gives the disk more than the flush takes: all
// rows go (a log has none), or as many as a memtable holds since the last one.
func (c *committer) worthFlush(before uint64) bool {
	given := c.s.given.Add(c.written.trimmed.bytes - before)
	if given == 0 || c.s.gate.isFull() || given < memTableBytes && c.written.trimmed.seq < c.written.seq {
		return false
	}
	c.s.given.Store(0)
	return true
}

func (c *committer) apply(g *group) error {
	if err := c.s.db.ApplyNoSyncWait(g.wb, pebble.Sync); err != nil || !g.flush || c.s.gate.isFull() {
		return err
	}
	_, err := c.s.db.AsyncFlush()
	return err
}

// acknowledge makes groups visible, in order, as they become durable.
func (c *committer) acknowledge() {
	for g := range c.inFlight {
		if err := g.wb.SyncWait(); err != nil {
			c.s.fail(err)
			return
		}
		if c.s.Err() != nil {
			return // the sync may be one of a file that no restart will find
		}
		c.s.publish(g)
		for _, end := range g.ends {
			end.publish()
		}
		for _, t := range g.tickets {
			t.resolve(nil)
		}
		_ = g.wb.Close() // returns memory; it cannot fail after SyncWait
		<-c.slots
	}
}

func (s *Store) publish(g *group) {
	s.durable.Lock()
	defer s.durable.Unlock()
	s.durable.mark = g.mark
	s.durable.checkpoint = g.checkpoint
	s.durable.trimmed = g.trimmed
	s.ballast.appended(int64(s.durable.bytes - s.durable.trimmed.bytes))
}

// build puts all of the work into one batch.
func (c *committer) build(w work) *group {
	g := &group{wb: c.s.db.NewBatch(), places: map[string][]byte{}}
	for _, call := range w.appends {
		c.addRows(g, call)
	}
	if w.checkpoint != nil {
		c.addCheckpoint(g, w.checkpoint)
	}
	if w.trim != nil {
		before := c.written.trimmed.bytes
		c.trim(g, w.trim.through)
		g.flush = w.trim.flush && c.worthFlush(before)
		g.tickets = append(g.tickets, w.trim.ticket)
	}
	for _, call := range w.states {
		must(g.wb.Set(kindNode.name(call.node), append([]byte{nodeFormat}, call.state...), nil))
		g.tickets = append(g.tickets, call.ticket)
	}
	c.addLetters(g, w.letters)
	for _, call := range w.steps {
		c.addStep(g, call)
	}
	g.mark, g.checkpoint, g.trimmed = c.written.mark, c.written.checkpoint, c.written.trimmed
	return g
}

func (c *committer) addRows(g *group, call *appendCall) {
	call.first = c.written.seq + 1
	start := 0
	for _, end := range call.ends {
		c.addRow(g, call.bodies[start:end])
		start = end
	}
	g.tickets = append(g.tickets, call.ticket)
}

func (c *committer) addRow(g *group, body []byte) {
	op := g.wb.SetDeferred(rowKeyBytes, rowHeaderBytes+len(body))
	putRowKey(op.Key, c.written.seq+1)
	putRowHeader(op.Value, c.written.bytes)
	copy(op.Value[rowHeaderBytes:], body)
	must(op.Finish())
	c.written.seq++
	c.written.bytes += rowBytes(len(body))
}

func (c *committer) addCheckpoint(g *group, call *checkpointCall) {
	g.tickets = append(g.tickets, call.ticket)
	if call.checkpoint.Through < c.written.checkpoint.Through {
		return
	}
	c.written.checkpoint = call.checkpoint
	must(g.wb.Set(kindCheckpoint.start(), encodeCheckpoint(call.checkpoint), nil))
	if due := c.trimDue(); due > 0 {
		c.trim(g, due)
	}
}

// trimDue returns how far to trim once a whole window of rows is past its retention,
// else 0. A spool that is half full keeps nothing behind the checkpoint.
func (c *committer) trimDue() runtime.Seq {
	keep, window := runtime.Seq(c.s.opt.Retention), runtime.Seq(trimWindow)
	held := int64(c.written.bytes - c.written.trimmed.bytes)
	if most := c.s.opt.MaxBytes; most > 0 && held > most/2 {
		keep, window = 0, 1
	}
	if c.written.checkpoint.Through < c.written.trimmed.seq+keep+window {
		return 0
	}
	return c.written.checkpoint.Through - keep
}

// trim removes rows up to through, as far as the checkpoint allows. The range starts at
// the first key of all rows, not at the last trim: a wide tombstone covers whole older
// files, which are then dropped without being rewritten.
func (c *committer) trim(g *group, through runtime.Seq) {
	through = min(through, c.written.checkpoint.Through)
	if through <= c.written.trimmed.seq {
		return
	}
	m, err := c.markAt(through)
	if err != nil {
		c.s.opt.Log.Warn("store: trim put off", "through", through, "error", err)
		return
	}
	c.written.trimmed = m
	c.s.gone.Store(uint64(m.seq))
	must(g.wb.DeleteRange(kindRow.start(), rowKey(through+1), nil))
	must(g.wb.Set(kindTrim.start(), encodeTrim(m), nil))
}

func (c *committer) markAt(seq runtime.Seq) (mark, error) {
	key := rowKey(seq)
	value, err := c.s.get(key)
	if err != nil {
		return mark{}, err
	}
	return rowMark(key, value)
}

// must is for operations on a batch in memory, which report misuse only.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("store: batch: %v", err))
	}
}
