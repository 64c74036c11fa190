package engine

import (
	"time"

	"github.com/leat-run/leat/engine/commit"
	"github.com/leat-run/leat/runtime"
)

// RunStatus is a snapshot of a run. Rates are for the reader to make of two of them.
type RunStatus struct {
	Pipeline string
	State    State
	// Reason says why it is blocked: the store's words, or that dead letters cannot be
	// written; Since is when that began, where it is known.
	Reason string
	Since  time.Time

	Read, Replayed, Injected int64
	InFlight                 int   // messages, uncommitted
	InFlightBytes            int64 // their payloads
	Branches                 int64 // open ones
	Balance, Total           commit.Balance
	Letters                  int64
	Frontier, Checkpoint     runtime.Seq // committed in memory, and durably
	SpoolRows, SpoolBytes    int64
	// SourceRead and SourceTotal are bytes, summed over the sources; Sized says that every
	// source knows its total.
	SourceRead, SourceTotal int64
	Sized                   bool
	Nodes                   []NodeStatus
}

// NodeStatus is a node's part since this process started.
type NodeStatus struct {
	Name     string
	Waiting  int   // in its queue
	In       int64 // calls of a transform, messages of a sink
	Out      int64
	Failed   int64 // attempts
	Retries  int64
	Dropped  int64
	Recycled int64 // instances
}

// Status returns a snapshot. It is safe while the engine runs, and cheap.
func (e *Engine) Status() RunStatus {
	stats := e.tracker.Stats()
	s := RunStatus{
		Pipeline: e.plan.Name, Read: e.read.Load(), Replayed: e.replayed.Load(), Injected: e.injected.Load(),
		InFlight: stats.Outstanding, InFlightBytes: stats.Bytes, Branches: stats.Branches,
		Balance: stats.Balance.Minus(e.began), Total: stats.Balance, Letters: e.written.Load(),
		Frontier: stats.Frontier, SpoolRows: e.store.SpoolRows(), SpoolBytes: e.store.SpoolBytes(),
	}
	if checkpoint, err := e.store.Checkpoint(); err == nil {
		s.Checkpoint = checkpoint.Through
	}
	e.stateOf(&s)
	e.progressOf(&s)
	for _, n := range e.topology.order {
		s.Nodes = append(s.Nodes, NodeStatus{
			Name: n.name, Waiting: n.inbox.waiting(), In: n.counts.in.Load(), Out: n.counts.out.Load(),
			Failed: n.counts.failed.Load(), Retries: n.counts.retries.Load(),
			Dropped: n.counts.dropped.Load(), Recycled: n.counts.recycled.Load(),
		})
	}
	return s
}

// stateOf fills in the state: what is blocked says so whatever else goes on.
func (e *Engine) stateOf(s *RunStatus) {
	e.end.mu.Lock()
	s.State = e.end.state
	e.end.mu.Unlock()
	if s.State == StateStopped {
		return
	}
	if reason, since := e.store.Blocked(); reason != "" {
		s.State, s.Reason, s.Since = StateBlocked, reason, since
	} else if e.waitingLetters.Load() > 0 {
		s.State, s.Reason = StateBlocked, "dead letters cannot be written"
	}
}

func (e *Engine) progressOf(s *RunStatus) {
	if !e.opened.Load() {
		return
	}
	s.Sized = len(e.sources) > 0
	for _, src := range e.sources {
		sizer, ok := src.source.(Sizer)
		if !ok {
			s.Sized = false
			continue
		}
		read, total := sizer.Progress()
		s.SourceRead, s.SourceTotal = s.SourceRead+read, s.SourceTotal+total
	}
}
