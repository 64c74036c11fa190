package causal

import "slices"

// Code says why a cause is missing. The codes are stable.
type Code string

// The codes of a missing cause.
const (
	// NotFetched: the cause has not reached this consumer.
	NotFetched Code = "not-fetched"
	// HeldUpstream: the cause is here, at or behind the head of its own channel.
	HeldUpstream Code = "held-upstream"
)

// Hold is a channel's head that waits for its causes, and so holds back all behind it.
type Hold struct {
	At      Coordinate
	Behind  int64     // records of the channel that wait behind it
	Missing []Missing // sorted by channel, at least one
	// Cycle are the heads of a ring, this one first, each of which waits for the next and the last
	// for this one. Truthful stamps make none: somebody stamps falsely. Nil where there is none.
	Cycle []Coordinate
}

// Missing is one cause that was not delivered here yet.
type Missing struct {
	Cause Coordinate // the claim: everything up to this offset
	Code  Code
	// Seen is false where nothing is known of the cause's channel; then Frontier is -1 and Position 0.
	Seen     bool
	Frontier int64
	Position int64 // the offset to fetch next on the cause's channel
}

// Holds lists the heads that wait, sorted by channel. A head whose gate is open, but whose channel is
// blocked, does not wait for a cause and is not listed: the host knows why it blocked it.
func (t *Task) Holds() []Hold {
	var holds []Hold
	for _, in := range t.inputs {
		if in.head == nil || in.head.open() {
			continue
		}
		holds = append(holds, Hold{
			At:      in.head.record.At(),
			Behind:  in.queue.len() - 1,
			Missing: in.head.missing(),
			Cycle:   in.ring(),
		})
	}
	return holds
}

func (h *head) missing() []Missing {
	var missing []Missing
	for _, c := range h.causes[h.met:] {
		if !c.on.covers(c.offset) {
			missing = append(missing, c.missing())
		}
	}
	return missing
}

func (c cause) missing() Missing {
	m := Missing{
		Cause: Coordinate{c.on.channel, c.offset}, Code: NotFetched,
		Seen: c.on.seen, Frontier: -1, Position: c.on.position,
	}
	if c.on.seen {
		m.Frontier = c.on.frontier
	}
	if c.heldUpstream() {
		m.Code = HeldUpstream
	}
	return m
}

// heldUpstream: an unmet cause below the position is behind a head of its own channel, since the
// frontier of a channel that holds nothing is right below its position.
func (c cause) heldUpstream() bool { return !c.on.covers(c.offset) && c.offset < c.on.position }

// ring is a cycle of waiting heads through this one, found depth first.
func (in *input) ring() []Coordinate {
	visited := make(map[*input]bool)
	var path []Coordinate
	var closes func(at *input) bool
	closes = func(at *input) bool {
		if at == in && len(path) > 0 {
			return true
		}
		if visited[at] || at.head == nil || at.head.open() {
			return false
		}
		visited[at] = true
		path = append(path, at.head.record.At())
		if slices.ContainsFunc(at.head.causes, func(c cause) bool { return c.heldUpstream() && closes(c.on) }) {
			return true
		}
		path = path[:len(path)-1]
		return false
	}
	if closes(in) {
		return path
	}
	return nil
}
