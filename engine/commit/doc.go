// Package commit decides what is committed: it turns the endings of branches, in whatever
// order they come, into a frontier that only ever moves over finished messages.
//
//	 Arrive(run of seqs)      Apply(events)             Force(seq)
//	        |                      |                        |
//	        v                      v                        v
//	+-----------------------------------------------------------------+
//	| ring:  seq  frontier+1   +2     +3      +4      +5              |
//	|        open      0        2    absent    0    removed           |
//	+-----------------------------------------------------------------+
//	        | sweep: while the head is finished
//	        v
//	 Freed (slots and bytes for the gate)      Take -> Advance{Through, Balance, Positions}
//
// Invariants:
//
//  1. The frontier passes a seq only when it has arrived and all its branches ended, or
//     when it carries a removed mark. An absent seq is a row that is durable but not yet
//     registered: the hole barrier stops there.
//  2. The frontier only rises, and never by anything but 1 at a time.
//  3. A message's branches are added to the Balance when the frontier passes it, never
//     before: what is written beside a checkpoint belongs to exactly that checkpoint.
//  4. Opened == Delivered + Null + NoOutput + NoMatch + Dropped + DeadLettered + Orphaned, at
//     every frontier.
//  5. A source's position covers only emissions that are committed, without a gap in the
//     order in which the source made them, even where their seqs are in another order.
//  6. Memory is bounded by the messages between the frontier and the highest seq that
//     arrived; nothing is kept about a seq behind the frontier.
//
// The package owns no goroutine, clock or I/O and calls nobody back: whoever applies an
// event gets the result as a value and does what it asks for after the lock is free. A
// Tracker may be used by many goroutines.
//
// It does not know what a message is, why a branch ended, or whether a checkpoint was
// written.
package commit
