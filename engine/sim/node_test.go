package sim

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/leat-run/leat/engine/causal"
)

// broken switches one thing of the protocol or the host off: the self-tests want each to be flagged.
type broken struct {
	ignoresClocks      bool // the gate sees no dependencies
	foldsAfterDelivery bool // a clock is folded when its record's delivery is over, not when it is received
	sendsWithoutState  bool // a crashed step's emissions are committed
	hidesPositions     bool // positions without a record are never reported
}

// node hosts one task: a store, consumed positions and a transaction, which commit together or not at all.
type node struct {
	w      *world
	name   string
	inputs []causal.Channel
	sinks  []*topic
	quiet  bool   // a filter stage: it emits on one record in eight
	seldom bool   // it commits seldom: its transactions stay open for long
	lags   *topic // it hardly ever fetches this one, so that what waits for it is held for long

	store     map[string][]byte
	committed ledger
	consumed  map[causal.Channel]int64

	// Memory: all of it goes with a crash.
	task     *causal.Task
	working  ledger
	position map[causal.Channel]int64
	txn      *txn
	touched  []*partition
	undo     []int // dense logs: how long the touched partitions were
	late     causal.Session
}

func (n *node) Get(key string) ([]byte, error) { return n.store[key], nil }

func (n *node) declaration() causal.Declaration {
	var d causal.Declaration
	for _, c := range n.inputs {
		d.Inputs = append(d.Inputs, causal.Input{Channel: c, Position: n.consumed[c]})
	}
	for _, t := range n.sinks {
		d.Sinks = append(d.Sinks, t.id)
	}
	return d
}

// start restores the task. A refused start leaves the node down.
func (n *node) start() error {
	n.abort()
	task, report, err := causal.Restore(n.declaration(), n, n.w.log)
	if err != nil {
		return err
	}
	n.task, n.working = task, n.committed.clone()
	n.position = map[causal.Channel]int64{}
	for _, f := range report.Fetch {
		n.position[f.Channel] = f.Offset
	}
	for _, j := range report.Joined {
		if err := n.checkBaseline(j, report.Fresh); err != nil {
			return err
		}
		n.working.baseline[j.Channel] = n.position[j.Channel]
		n.w.fired["joined"]++
		if j.Known {
			n.w.fired["seeded by knowledge"]++
		}
	}
	n.w.fired["left"] += len(report.Left)
	n.w.fired["former sinks"] += len(report.FormerSinks)
	for _, l := range report.Left {
		if l.Gone {
			n.w.fired["recreated"]++
		}
	}
	if report.Held > 0 {
		n.w.fired["restored held"]++
	}
	n.w.note(n.name, "start", causal.Coordinate{}, report.Held)
	return n.deliverAll() // a smaller scope may have opened a gate
}

// checkBaseline: completeness is judged from where Restore has an input begin, so that a start which skipped too much would hide what it
// lost. Only knowledge may skip, only what the log holds, and a first start has none.
func (n *node) checkBaseline(j causal.Joined, fresh bool) error {
	p := n.w.log.partition(j.Channel)
	switch from := n.position[j.Channel]; {
	case fresh && from != p.start, !j.Known && from != p.start:
		return fmt.Errorf("%s joined %s at %d, the log starts at %d", n.name, j.Channel, from, p.start)
	case from < p.start || from > p.end():
		return fmt.Errorf("%s joined %s at %d, the log has %d to %d", n.name, j.Channel, from, p.start, p.end())
	}
	return nil
}

// input draws the channel to fetch from.
func (n *node) input() causal.Channel {
	c := pick(n.w, n.inputs)
	if n.lags != nil && c.Topic == n.lags.id && n.w.rng.IntN(40) > 0 {
		return n.inputs[0]
	}
	return c
}

// fetch takes the next record of a channel, or reports how far there is none.
func (n *node) fetch(c causal.Channel) error {
	p := n.w.log.partition(c)
	e, position := p.next(n.position[c])
	if e == nil {
		if position <= n.position[c] || n.w.broken.hidesPositions {
			return nil
		}
		n.position[c] = position
		n.w.fired["positions advanced"]++
		n.w.note(n.name, "advance", causal.Coordinate{Channel: c, Offset: position}, 0)
		return errors.Join(n.task.Advance(c, position), n.deliverAll())
	}
	if position > n.position[c]+1 {
		n.w.fired["gaps fetched"]++
	}
	n.position[c] = position
	f := e.fetched
	if n.w.broken.ignoresClocks {
		f.Headers = nil
	}
	n.w.note(n.name, "receive", causal.Coordinate{Channel: c, Offset: f.Offset}, int64(e.event))
	held := n.task.Counts().Held
	if err := n.task.Receive(f); err != nil {
		return err
	}
	if err := n.deliverAll(); err != nil {
		return err
	}
	if n.task.Counts().Held > held {
		n.w.fired["held"]++
	}
	n.noteHoles()
	return nil
}

// noteHoles counts the heads that wait for what no consumer will ever be given: a marker, an aborted or a compacted record.
func (n *node) noteHoles() {
	for _, h := range n.task.Holds() {
		for _, m := range h.Missing {
			e := n.w.log.partition(m.Cause.Channel).entries[m.Cause.Offset]
			switch {
			case e.event < 0:
				n.w.fired["waited for a marker"]++
			case e.gone:
				n.w.fired["waited for a compacted record"]++
			case e.txn != nil && e.txn.aborted:
				n.w.fired["waited for an aborted record"]++
			case e.txn != nil && e.txn.open:
				n.w.fired["waited for an open transaction"]++
			}
		}
	}
}

func (n *node) deliverAll() error {
	for {
		r, ok := n.task.Next()
		if !ok {
			return nil
		}
		if err := n.deliver(r); err != nil {
			return err
		}
	}
}

func (n *node) deliver(r causal.Record) error {
	id := n.w.log.partition(r.Channel).entries[r.Offset].event
	n.w.note(n.name, "deliver", r.At(), int64(id))
	n.w.fired["delivered"]++
	if err := n.working.deliver(id, n.w.events[id]); err != nil {
		return err
	}
	if err := n.task.Delivered(); err != nil {
		return err
	}
	n.late.Appended(r.At())
	if err := n.guest(id, r); err != nil {
		return err
	}
	n.late.Observe(r)
	return nil
}

// hops bounds how far an effect can go on: it damps feedback.
const hops = 4

// guest decides by the record alone what to emit, so that a step done again does the same.
func (n *node) guest(cause int, r causal.Record) error {
	h := fnv.New32a()
	fmt.Fprintf(h, "%s %d", n.name, cause)
	roll := h.Sum32() >> 3
	if len(n.sinks) == 0 || r.Value[0] >= hops || n.quiet && roll%8 != 0 || roll%4 == 3 {
		return nil
	}
	for i := range 1 + int(roll>>4)%2 {
		t := n.sinks[(int(roll>>6)+i)%len(n.sinks)]
		p := t.partitions[int(roll>>10)%len(t.partitions)]
		if err := n.emit(p, fmt.Sprint(n.name, " ", cause, " ", i), r.Value[0]+1); err != nil {
			return err
		}
	}
	return nil
}

func (n *node) emit(p *partition, origin string, hop byte) error {
	stamp := n.task.Stamp()
	if n.w.broken.foldsAfterDelivery {
		stamp = n.late.Stamp()
	}
	headers, err := causal.Seal(stamp, nil)
	if err != nil {
		return err
	}
	if n.w.markers && n.txn == nil {
		n.txn = &txn{open: true}
	}
	if !slices.Contains(n.touched, p) {
		n.touched, n.undo = append(n.touched, p), append(n.undo, len(p.entries))
	}
	id, at := n.w.append(p, entry{fetched: causal.Fetched{Value: []byte{hop}, Headers: headers}, txn: n.txn}, n.working.past, origin)
	n.working.past.add(id)
	n.late.Appended(at)
	n.w.note(n.name, "emit", at, int64(id))
	return n.task.Appended(at)
}

// commit writes the step: state, positions, emissions, and the oracle's view of it.
func (n *node) commit() {
	for _, m := range n.task.Flush() {
		if m.Deletes() {
			delete(n.store, m.Key)
		} else {
			n.store[m.Key] = m.Value
		}
	}
	n.committed, n.consumed = n.working.clone(), maps.Clone(n.position)
	n.end(false)
	n.w.note(n.name, "commit", causal.Coordinate{}, 0)
}

// crash loses the memory. What the step has appended stays open until the node starts again.
func (n *node) crash() {
	if len(n.touched) > 0 {
		n.w.fired["crashes in mid-step"]++
	} else {
		n.w.fired["crashes idle"]++
	}
	if n.task.Counts().Held > 0 {
		n.w.fired["crashes with held records"]++
	}
	n.task = nil
	n.w.note(n.name, "crash", causal.Coordinate{}, 0)
	if !n.w.markers {
		n.abort()
	}
}

func (n *node) abort() {
	if len(n.touched) > 0 {
		n.end(!n.w.broken.sendsWithoutState)
	}
}

// end decides the transaction. With markers, one stands on every touched partition, and what was aborted keeps
// its offsets; a dense log forgets it.
func (n *node) end(aborted bool) {
	for i, p := range n.touched {
		switch {
		case n.w.markers:
			p.append(entry{event: -1})
		case aborted:
			p.entries = p.entries[:n.undo[i]]
		}
	}
	if n.txn != nil {
		n.txn.open, n.txn.aborted = false, aborted
		if aborted {
			n.w.fired["aborted"]++
		}
	}
	n.txn, n.touched, n.undo = nil, nil, nil
}
