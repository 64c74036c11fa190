package sim

import (
	"errors"
	"fmt"
	"slices"

	"github.com/leat-run/leat/engine/causal"
)

// redeploy declares another scope: one input less, one more, other sinks. Refused, the old one comes back.
func (w *world) redeploy() error {
	n := pick(w, w.nodes)
	n.abort()
	n.task = nil
	inputs, sinks := n.inputs, n.sinks
	n.inputs, n.sinks = w.otherInputs(n), w.otherSinks(n)
	w.note(n.name, "redeploy", causal.Coordinate{}, int64(len(n.inputs)))
	err := n.start()
	var refused *causal.StartError
	if errors.As(err, &refused) && refused.Reason == causal.HeldOnDeparting {
		w.fired["refused with held records"]++
		n.inputs, n.sinks = inputs, sinks
		return n.start()
	}
	if err == nil {
		n.commit()
	}
	return err
}

func (w *world) otherInputs(n *node) []causal.Channel {
	if len(n.inputs) > 1 && w.rng.IntN(2) == 0 {
		i := w.rng.IntN(len(n.inputs))
		return slices.Delete(slices.Clone(n.inputs), i, i+1)
	}
	for _, t := range w.sorted() {
		c := t.partitions[int(n.inputs[0].Partition)%len(t.partitions)].at
		if !slices.Contains(n.inputs, c) && w.rng.IntN(2) == 0 {
			return append(slices.Clone(n.inputs), c)
		}
	}
	return n.inputs
}

func (w *world) otherSinks(n *node) []*topic {
	if len(n.sinks) == 0 || w.rng.IntN(3) > 0 {
		return n.sinks
	}
	if len(n.sinks) > 1 {
		return n.sinks[1:]
	}
	return append(slices.Clone(n.sinks), w.log.create(fmt.Sprint("sink", w.log.made), 1))
}

// sorted are the topics in the order in which they were made.
func (w *world) sorted() []*topic {
	var all []*topic
	for _, t := range w.log.topics {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *topic) int { return int(a.id[14])<<8 + int(a.id[15]) - int(b.id[14])<<8 - int(b.id[15]) })
	return all
}

// recreate deletes a topic of an edge and makes it again; its consumers are redeployed with the new one. A node that
// holds records of the old one has a reset as its only way out: it forgets everything.
func (w *world) recreate() error {
	old := pick(w, pick(w, w.edges).produces)
	for _, n := range w.nodes {
		n.abort()
		n.task = nil
	}
	delete(w.log.topics, old.id)
	made := w.log.create(old.name, len(old.partitions))
	replace := func(list []*topic) {
		for i := range list {
			if list[i] == old {
				list[i] = made
			}
		}
	}
	for _, e := range w.edges {
		replace(e.produces)
		replace(e.observes)
	}
	w.note("log", "recreate", causal.Coordinate{}, int64(w.log.made))
	for _, n := range w.nodes {
		replace(n.sinks)
		for i, c := range n.inputs {
			if c.Topic == old.id {
				n.inputs[i] = made.partitions[c.Partition].at
			}
		}
		if err := w.startOrReset(n); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) startOrReset(n *node) error {
	err := n.start()
	var refused *causal.StartError
	if errors.As(err, &refused) && refused.Reason == causal.HeldOnDeparting {
		w.fired["reset"]++
		n.store, n.committed = map[string][]byte{}, newLedger()
		err = n.start()
	}
	if err == nil {
		n.commit()
	}
	return err
}
