package causal

// input is what a task knows of one channel that it consumes. All of it is small: records
// that wait are on disk, but for the head of the queue and those received since the last Flush.
type input struct {
	channel Channel

	// seen is false until anything is known of the channel: no frontier, no baseline.
	seen bool
	// frontier is the offset up to which all that can be fetched was delivered here and the
	// rest was skipped; -1 is "nothing yet". REQUIRES: seen.
	frontier int64
	// position is the offset below which everything was fetched or is known to be skipped.
	// Memory only: the host reports it again after a restart.
	position int64
	// advertised is the max-merge of the clocks of all records received on the channel.
	advertised vector

	queue queue
	// head is the decoded first record of the queue and its gate; nil iff the queue is empty.
	head *head
	// waiters are the inputs whose head waits for this channel's frontier, in the order in
	// which they began to.
	waiters []*input
	// blocked: the host wants no delivery from this channel for now.
	blocked bool

	// What differs from the stored state.
	frontierChanged, advertisedChanged bool
}

// head is the gating record of a channel: the only one of it that can be delivered.
type head struct {
	record Record
	// causes are the record's claims on the other channels that the task consumes.
	causes []cause
	// met counts the causes, from the front, that are known to be delivered. Frontiers only
	// rise, so a met cause stays met.
	met int
}

// cause is one claim of a head.
type cause struct {
	on     *input
	offset int64
}

// covers says whether everything up to the offset was delivered here or skipped.
func (in *input) covers(offset int64) bool { return in.seen && in.frontier >= offset }

// received says whether the record at this offset was received before.
func (in *input) received(offset int64) bool {
	return in.covers(offset) || !in.queue.empty() && offset <= in.queue.lastOffset
}

// clean is the offset up to which nothing is left to deliver: what is below the first held
// record, or below the position where none is held.
func (in *input) clean() int64 {
	if in.head != nil {
		return in.head.record.Offset - 1
	}
	return in.position - 1
}

// lead is the head's first unmet cause. REQUIRES: there is one.
func (h *head) lead() cause { return h.causes[h.met] }

// open says whether the gate is: all causes are met.
func (h *head) open() bool { return h.met == len(h.causes) }
