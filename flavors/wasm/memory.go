package wasm

// linear is a guest's memory. It is reserved whole at the node's budget and grows in place,
// so that growing copies nothing and passing the budget is seen here, by us, and not
// guessed from what the guest does about it.
type linear struct {
	region  []byte // the reservation; its first size bytes are the guest's
	size    uint64
	limit   uint64 // the budget, in bytes
	refused uint64 // bytes that the guest last asked for in vain, 0 for none
}

// Reallocate grows the memory to size bytes, or returns nil if that is past the budget.
// It is how wazero performs memory.grow.
func (m *linear) Reallocate(size uint64) []byte {
	if size > m.limit {
		m.refused = size
		return nil
	}
	if m.region == nil {
		if m.region = reserve(m.limit); m.region == nil {
			m.refused = size
			return nil
		}
	}
	m.size = size
	return m.region[:size:size]
}

// Free gives the memory back. It is idempotent.
func (m *linear) Free() {
	if m.region != nil {
		release(m.region)
	}
	m.region, m.size = nil, 0
}

// bytes is the memory as the guest sees it now. It moves never, but grows: do not keep it.
func (m *linear) bytes() []byte { return m.region[:m.size] }
