package sim

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/leat-run/leat/engine/causal"
)

// world is one run of one seed.
type world struct {
	seed    uint64
	rng     *rand.Rand
	broken  broken
	markers bool // transactions with markers and aborted records; else a dense log
	chaos   chaos

	log    *log
	events []event
	nodes  []*node
	edges  []*edge
	fired  map[string]int
	trace  []step
}

// chaos are the weights of what may befall a world, of 1000 actions.
type chaos struct{ crash, redeploy, recreate, truncate, retain, compact int }

// edge is a producer, which claims its acknowledged appends, or an observer, which also claims what it read.
type edge struct {
	name     string
	observes []*topic
	produces []*topic
	session  causal.Session
	ledger   ledger
}

// step is one line of the trace.
type step struct {
	who, what string
	at        causal.Coordinate
	n         int64
}

func (w *world) note(who, what string, at causal.Coordinate, n int64) {
	w.trace = append(w.trace, step{who, what, at, n})
}

func (w *world) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d\n", w.seed)
	for i, s := range w.trace {
		fmt.Fprintf(&b, "%4d %-8s %-8s %s:%d@%d %d\n", i, s.who, s.what,
			strings.TrimRight(string(s.at.Channel.Topic[:14]), "\x00"), s.at.Channel.Partition, s.at.Offset, s.n)
	}
	return b.String()
}

func (w *world) digest() uint64 {
	h := fnv.New64a()
	h.Write([]byte(w.text()))
	return h.Sum64()
}

func (w *world) append(p *partition, e entry, before set, origin string) (int, causal.Coordinate) {
	e.event = len(w.events)
	at := p.append(e)
	w.events = append(w.events, event{at, slices.Clone(before), origin})
	return e.event, at
}

func pick[T any](w *world, of []T) T { return of[w.rng.IntN(len(of))] }

// act draws and does one action.
func (w *world) act() error {
	roll := w.rng.IntN(1000)
	for _, option := range []struct {
		weight int
		do     func() error
	}{
		{w.chaos.crash, w.crash},
		{w.chaos.redeploy, w.redeploy},
		{w.chaos.recreate, w.recreate},
		{w.chaos.truncate, w.truncate},
		{w.chaos.retain, w.retain},
		{w.chaos.compact, w.compact},
		{250, w.edgeActs},
	} {
		if roll -= option.weight; roll < 0 {
			return option.do()
		}
	}
	return w.work(pick(w, w.nodes))
}

// work lets a node do a piece of a step, or on a dense log a whole one.
func (w *world) work(n *node) error {
	if n.task == nil {
		return n.start()
	}
	if w.markers {
		if w.rng.IntN(4) == 0 && (!n.seldom || w.rng.IntN(8) == 0) {
			n.commit()
			return nil
		}
		return n.fetch(n.input())
	}
	for range 1 + w.rng.IntN(4) {
		if err := n.fetch(n.input()); err != nil {
			return err
		}
	}
	if w.rng.IntN(1000) < w.chaos.crash {
		n.crash()
		return nil
	}
	n.commit()
	return nil
}

func (w *world) crash() error {
	if n := pick(w, w.nodes); n.task != nil {
		n.crash()
	}
	return nil
}

func (w *world) edgeActs() error {
	e := pick(w, w.edges)
	if len(e.observes) > 0 && w.rng.IntN(2) == 0 {
		return w.observe(e, pick(w, pick(w, e.observes).partitions))
	}
	return w.produce(e, pick(w, pick(w, e.produces).partitions))
}

func (w *world) observe(e *edge, p *partition) error {
	if p.end() == 0 {
		return nil
	}
	entry, _ := p.next(w.rng.Int64N(p.end()))
	if entry == nil {
		return nil
	}
	r, err := entry.fetched.Open()
	e.session.Observe(r)
	e.ledger.observe(entry.event, w.events[entry.event])
	w.fired["observed"]++
	w.note(e.name, "observe", r.At(), int64(entry.event))
	return err
}

func (w *world) produce(e *edge, p *partition) error {
	headers, err := causal.Seal(e.session.Stamp(), nil)
	f := causal.Fetched{Value: []byte{0}, Headers: headers}
	id, at := w.append(p, entry{fetched: f}, e.ledger.past, "")
	e.session.Appended(at)
	e.ledger.past.add(id)
	w.fired["produced"]++
	w.note(e.name, "produce", at, int64(id))
	return err
}

// states are the stored states of all nodes.
func (w *world) states() (all []causal.Reader) {
	for _, n := range w.nodes {
		all = append(all, n)
	}
	return all
}

func (w *world) truncate() error {
	n := pick(w, w.nodes)
	if n.task == nil {
		return nil
	}
	bounds, err := causal.Bounds(n.task.Truncatable(), w.log, w.states()...)
	if err != nil {
		return err
	}
	removed, err := n.task.Truncate(bounds)
	w.fired["truncated entries"] += removed
	w.note(n.name, "truncate", causal.Coordinate{}, int64(removed))
	return err
}

// retain moves a log's start, but not past a position that a consumer has committed: that is case G6.
func (w *world) retain() error {
	p := pick(w, pick(w, w.sorted()).partitions)
	start := p.stable()
	for _, n := range w.nodes {
		if !slices.Contains(n.inputs, p.at) {
			continue
		}
		if n.task == nil || len(n.touched) > 0 {
			return nil
		}
		n.commit()
		start = min(start, n.position[p.at])
	}
	if start > p.start {
		p.start = start
		w.fired["retained"]++
		w.note("log", "retain", causal.Coordinate{Channel: p.at, Offset: start}, 0)
	}
	return nil
}

func (w *world) compact() error {
	p := pick(w, pick(w, w.sorted()).partitions)
	if p.end() > p.start {
		e := &p.entries[p.start+w.rng.Int64N(p.end()-p.start)]
		if e.visible() {
			e.gone = true
			w.fired["compacted"]++
			w.note("log", "compact", causal.Coordinate{Channel: p.at, Offset: e.fetched.Offset}, 0)
		}
	}
	return nil
}

// drainRounds is the step budget: a world that is not quiet after so many rounds is stuck.
const drainRounds = 400

// drain stops the edges, heals everything and lets the nodes run until nothing is left to do.
func (w *world) drain() error {
	for range drainRounds {
		quiet := true
		for _, n := range w.nodes {
			if n.task == nil {
				if err := n.start(); err != nil {
					return err
				}
			}
			before := len(w.trace)
			if err := w.exhaust(n); err != nil {
				return err
			}
			quiet = quiet && len(w.trace) == before && len(n.touched) == 0
			n.commit()
		}
		if quiet {
			return w.complete()
		}
	}
	return errors.New("the world does not drain")
}

// exhaust fetches what a node's inputs have to give, channel by channel in turn.
func (w *world) exhaust(n *node) error {
	for range drainRounds {
		before := len(w.trace)
		for _, c := range n.inputs {
			if err := n.fetch(c); err != nil {
				return err
			}
		}
		if len(w.trace) == before {
			return nil
		}
	}
	return nil
}

// complete: at the end every record above the baseline was delivered, and every cause had its effects once.
func (w *world) complete() error {
	for _, n := range w.nodes {
		for _, c := range n.inputs {
			p := w.log.partition(c)
			for i := max(p.start, n.committed.baseline[c]); i < p.end(); i++ {
				if e := p.entries[i]; e.visible() && !n.committed.delivered.has(e.event) {
					return fmt.Errorf("%s: event %d was never delivered; held: %+v", n.name, e.event, n.task.Holds())
				}
			}
		}
		if held := n.task.Counts().Held; held > 0 {
			return fmt.Errorf("%s still holds %d records: %+v", n.name, held, n.task.Holds())
		}
	}
	return w.once()
}

func (w *world) once() error {
	seen := map[string]bool{}
	for _, t := range w.sorted() {
		for _, p := range t.partitions {
			for _, e := range p.entries {
				if !e.visible() {
					continue
				}
				origin := w.events[e.event].origin
				if origin != "" && seen[origin] {
					return fmt.Errorf("the effect %s is there twice", origin)
				}
				seen[origin] = true
			}
		}
	}
	return nil
}

// run does the steps and drains. Its error is the verdict of the oracle, or of the protocol itself.
func (w *world) run(steps int) error {
	for range steps {
		if err := w.act(); err != nil {
			return err
		}
	}
	return w.drain()
}
