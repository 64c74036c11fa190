package causal

// headOf is the record with the causes it has to wait for. Two kinds of claims are left out.
// Those on its own channel: the order of the queue keeps them already, and a claim of a record
// on itself means nothing. Those on channels that this task does not consume: every stamp folds
// whole clocks, so an ancestor that is consumed is always claimed directly.
func (t *Task) headOf(in *input, r Record) *head {
	h := &head{record: r}
	for _, claim := range r.Clock.entries {
		if on := t.on[claim.Channel]; on != nil && on != in {
			h.causes = append(h.causes, cause{on, claim.Offset})
		}
	}
	return h
}

// gate moves the head past the causes that are met. It ends among the ready, or among those who
// wait for the channel of its first unmet cause, where raise finds it again. So a head is looked
// at as often as it has causes, not as often as anything is delivered.
func (t *Task) gate(in *input) {
	for h := in.head; !h.open(); h.met++ {
		if lead := h.lead(); !lead.on.covers(lead.offset) {
			lead.on.waiters = append(lead.on.waiters, in)
			return
		}
	}
	t.ready = append(t.ready, in)
}

// raise lifts a channel's frontier to the offset and gates anew the heads that waited for that.
func (t *Task) raise(in *input, to int64) {
	if in.seen && to <= in.frontier {
		return
	}
	in.seen = true
	in.frontier = to
	in.frontierChanged = true
	in.position = max(in.position, to+1)
	t.past.raise(Coordinate{in.channel, to})
	waiters := in.waiters
	in.waiters = waiters[:0] // gate puts back, at most, each after it was read
	for _, w := range waiters {
		t.gate(w)
	}
}
