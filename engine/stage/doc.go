// Package stage hosts causal stages on the embedded log: it fetches, feeds the protocol, runs the
// guest, and writes all that a step did as one.
//
//	             one task per partition, each with its own guest
//	topics --fetch--> causal.Task --Next--> call --> guest --> answer --> emissions, state
//	                      ^                                                 |
//	                      |                                                 v
//	                      +-- own outputs -- store.Step: records + protocol + fold + positions + letters
//	                                          (one part of one synced group)  --> topics
//
// Invariants:
//
//  1. A step is written whole or not at all; what the guest saw and what it made move together. After
//     a crash Restore goes on from the last step that was written: exactly once, on this log.
//  2. The guest sees a record only after every cause of it that the stage consumes (package causal).
//  3. A failure blocks its channel, and nothing else, until it is tried again with success; only one that is certain
//     to come again may become a dead letter, in the same step. (That is sound because fuel is deterministic
//     and the guest begins anew with every record.)
//  4. Nothing is passed over silently: a start that would lose or reorder records is refused with the numbers and the ways
//     out; what is held, blocked or accepted as lost is counted, listed and logged.
//  5. What is in memory is bounded: a step holds at most stepRecords fetched records and stepBytes, or
//     one record if that is larger. Held records are on disk.
//  6. Payloads are never logged.
//
// Goroutines: Run starts one per task, and awaits them. Everything else runs on the caller's.
package stage
