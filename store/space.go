package store

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// space decides whether there is room for rows, before they are written: below the
// watermark Append refuses, while dead letters, checkpoints and trims go on out of what
// the watermark keeps free. Committed rows that are kept for replay are given up first.
//
//	open --too many rows, too little free, or a call parked at the gate--> blocked
//	blocked --watch, every retryEvery: room again, with some to spare--> open
type space struct {
	s    *Store
	wake chan struct{} // one token: there is something to watch
	mu   struct {
		sync.Mutex
		reason string
		since  time.Time
		open   chan struct{} // closed while rows are accepted
		asked  time.Time     // when the file system was asked last
		log    blockLog
	}
}

// askEvery bounds how often Append asks the file system.
const askEvery = 20 * time.Millisecond

func newSpace(s *Store) *space {
	p := &space{s: s, wake: make(chan struct{}, 1)}
	p.mu.log.log = s.opt.Log
	p.mu.open = make(chan struct{})
	close(p.mu.open)
	return p
}

// admit returns ErrFull while there is no room.
func (p *space) admit() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.s.opt.Now()
	if p.mu.reason == "" && (now.Sub(p.mu.asked) >= askEvery || p.s.overfull()) {
		p.mu.asked = now
		p.blockLocked(p.s.lack(false))
	}
	if p.mu.reason != "" {
		return fmt.Errorf("%w: %s", ErrFull, p.mu.reason)
	}
	return nil
}

// recheck is for whoever learns that things changed.
func (p *space) recheck() (blocked bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	was := p.mu.reason != ""
	reason := p.s.lack(was)
	p.blockLocked(reason)
	if was && reason == "" {
		p.mu.since = time.Time{}
		close(p.mu.open) // last: who waits for it finds all as it is
	}
	return reason != ""
}

func (p *space) blockLocked(reason string) {
	began := reason != "" && p.mu.reason == ""
	if began {
		p.mu.since, p.mu.open = p.s.opt.Now(), make(chan struct{})
		p.notify()
	}
	p.mu.reason = reason
	p.mu.log.tell(p.s.opt.Now(), reason, began)
}

func (p *space) notify() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// lack says what there is not enough of; "" if there is room. easing asks for an eighth
// more, so that a store at its watermark does not flap.
func (s *Store) lack(easing bool) string {
	switch {
	case s.gate.isFull():
		return "disk: no space left"
	case s.overfull():
		return fmt.Sprintf("spool: %d bytes, max_bytes is %d", s.SpoolBytes(), s.opt.MaxBytes)
	case s.opt.MinFreeBytes < 0 || s.opt.Ephemeral:
		return ""
	}
	need, why := s.opt.MinFreeBytes, "min_free_bytes"
	if easing {
		need, why = need+need/8, "min_free_bytes and an eighth, to go on"
	}
	usage, err := s.gate.GetDiskUsage(s.dir)
	if err != nil || usage.AvailBytes >= uint64(need) {
		return "" // a file system that does not say is watched by the gate alone
	}
	return fmt.Sprintf("disk: %d bytes free, %d are needed (%s)", usage.AvailBytes, need, why)
}

func (s *Store) overfull() bool {
	return s.opt.MaxBytes > 0 && s.SpoolBytes() >= s.opt.MaxBytes
}

// watch looks for room while there is none, and keeps the ballast. It ends with stop.
func (p *space) watch(stop <-chan struct{}) {
	tick := time.NewTicker(retryEvery)
	defer tick.Stop()
	tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-p.wake:
			tick.Reset(retryEvery)
			p.relieve()
		case <-tick.C:
		}
		if p.recheck() {
			p.giveUpRows()
			continue
		}
		tick.Stop()
		p.s.ballast.keep()
	}
}

// relieve gives up what can be given up at once.
func (p *space) relieve() {
	if p.s.gate.isFull() {
		p.s.ballast.drop()
	}
}

// giveUpRows trims what was committed since, and has that and what else was deleted reach the disk: rows in the
// memtable's log and in tables go when the memtable that says so is flushed, and a store
// that takes no rows would never fill it.
func (p *space) giveUpRows() {
	p.s.durable.Lock()
	through, trimmed := p.s.durable.checkpoint.Through, p.s.durable.trimmed.seq
	p.s.durable.Unlock()
	if through > trimmed || p.s.given.Load() > 0 {
		_, _ = p.s.enqueue(func(q *queue) *ticket { return q.putTrim(through, true) }) // a closed store needs none
	}
}

// Blocked says why rows are refused with ErrFull and since when; "" if they are not.
func (s *Store) Blocked() (reason string, since time.Time) {
	s.space.mu.Lock()
	defer s.space.mu.Unlock()
	return s.space.mu.reason, s.space.mu.since
}

// Unblocked returns nil once rows are accepted again, at once if they are. It returns
// ctx's error, ErrFailed or ErrClosed if that comes first.
func (s *Store) Unblocked(ctx context.Context) error {
	if err := s.Err(); err != nil {
		return err // a failed store may look open
	}
	s.space.mu.Lock()
	open := s.space.mu.open
	s.space.mu.Unlock()
	select {
	case <-open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.failed:
		return s.Err()
	case <-s.closing:
		return ErrClosed
	}
}
