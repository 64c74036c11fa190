package engine

import "sync"

// pool is a free list of what goroutines of one owner reuse. It keeps what it got, since
// its owner is as long-lived as the run and has few goroutines.
type pool[T any] struct {
	mu   sync.Mutex
	free []T
}

func (p *pool[T]) get(make func() T) T {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		v := p.free[n-1]
		p.free = p.free[:n-1]
		return v
	}
	return make()
}

func (p *pool[T]) put(v T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, v)
}

// indexer numbers a source's emissions.
type indexer struct {
	mu   sync.Mutex
	next uint64
}

// take returns the first of n new numbers.
func (x *indexer) take(n int) uint64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.next += uint64(n)
	return x.next - uint64(n)
}
