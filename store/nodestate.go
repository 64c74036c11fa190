package store

import "bytes"

// NodeState returns what was last set for a node, nil if nothing was. The caller owns it.
func (s *Store) NodeState(node string) (state []byte, err error) {
	err = s.read(func() error {
		state, err = s.get(kindNode.name(node))
		if err == ErrNotFound {
			return nil
		}
		if err != nil {
			return err
		}
		r := openValue(state, nodeFormat, "state of node "+node)
		state = r.rest
		return r.err
	})
	return state, err
}

// SetNodeState makes a node's state durable and returns once it, or one of a higher
// rank, is. Within one Store a state of a lower rank never replaces a higher one; the
// rank is not stored. The store owns state from here on.
func (s *Store) SetNodeState(node string, rank uint64, state []byte) error {
	return s.submit(func(q *queue) *ticket { return q.putState(node, rank, state) })
}

// SaveNodeState is SetNodeState after whatever was set before, without waiting: a crash
// may bring an earlier state back. Close writes it. state is copied.
func (s *Store) SaveNodeState(node string, state []byte) {
	state = bytes.Clone(state)
	_, _ = s.enqueue(func(q *queue) *ticket { // a closed or failed store keeps the earlier state
		rank := uint64(0)
		if latest := q.latest.states[node]; latest != nil {
			rank = latest.rank
		}
		return q.putState(node, rank, state)
	})
}
