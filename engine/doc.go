// Package engine executes one Plan against one store: it admits what sources emit, makes
// it durable, runs it through the graph, and commits what ended.
//
//	source --emit(group)--> admission --append--> spool (store)     a seq per row, durable
//	                         gate, stamps             |
//	                                                  v
//	                        tracker.Arrive      dispatch: decode, then fan out over the edges
//	                                                  |
//	                           +----------------------+----------------------+
//	                           v                                             v
//	              transform: workers, one instance each         sink: batch, encode, write, retry
//	              -> sequencer -> 0..N messages | Failure                    |
//	                           +------------> tracker.Apply(events) <--------+
//	                                                  |
//	                  frontier -> checkpoint (store) -> source committers -> Source.Commit
//
// Invariants (each has a test of its name, TestPromiseN…):
//
//  1. Spool before visible: no node sees a message before its row is durable. A failed
//     append is emit's error and the message is refused.
//  2. The checkpoint advances only over the contiguous prefix whose every branch ended.
//  3. A crash replays a superset of what was uncommitted: duplicates, never loss.
//  4. A dead letter that cannot be written blocks the commit of its message.
//  5. A failing edge with required: false ends its own branch only.
//  6. A message's id is stable over redelivery and replay.
//  7. A source is told no position that the durable checkpoint does not cover.
//  8. Sibling branches are isolated: messages are values that nobody writes to.
//  9. admitted = committed + outstanding, and for committed messages opened = the sum of
//     all endings. A silent drop does not exist.
//
// Acks are values: a delivery carries its seq, and what became of a branch is a
// commit.Event. No callback and no channel travels with a message.
//
// What the operator sees comes out in two ways. Status is a snapshot of every count and
// gauge: admissions, endings with their reasons, letters by class and kind, retries, recycles
// by reason, backpressure, spool, lag, what blocks, what fails. An Observer is told, where
// it happens, of what only a distribution shows: each call into a guest with its usage,
// each write, and how long rows take to be durable and messages to be committed. The
// package knows no metrics format, and does nothing for an Observer that is not there.
//
// Goroutines: Run owns all of them and returns after the last one ended, but for a node
// that ignores its context beyond Options.Grace, which the outcome then reports. There is
// one per worker, one per dead letter on its way to the disk, one per partitioner, one per sink, one per source and one per source
// committer, one that feeds (crash replay, then the sources), one that commits and one
// that looks for slow calls. Two contexts rule them: intake ends what comes in, work ends
// what is in flight.
//
// Order: where a method does several things it does them so: persist, then make visible;
// open branches, then queue them; write the letter, then end the branch; delete the
// replayed letter, then the checkpoint, then the source's position.
//
// The package knows no flavor, no endpoint and no key of the store, and reads no document.
package engine
