// Package sim runs the causal protocol under a seeded scheduler, with crashes, and judges what it does by
// an oracle that never reads a clock. It holds tests only.
//
//	seed -> scheduler -> producers, observers, nodes, crashes, redeploys, truncation, retention, compaction
//	                        |
//	                        v
//	           log model (records, markers, aborted records, holes)      oracle (real happened-before)
//	                        |                                                    ^
//	                        +--> node: causal.Task, store, positions, transaction +-- each emission and delivery
//
// Invariants of the machinery itself:
//
//  1. Everything is drawn from one seed: the same seed gives the same trace.
//  2. The oracle knows ancestry from what was really delivered, observed and acknowledged; what an aborted step did
//     is rolled back with it.
//  3. A scenario that does not bring about what it is for is a failed test, and so is a broken protocol or a broken
//     host that is not flagged.
//
// The commit tracker (package engine/commit) is driven beside it: rows that register out of order, branches that end in
// any order, checkpoints that are lost, crashes.
//
// LEAT_SEEDS=50000 go test ./engine/sim runs that many seeds instead of 560. A failure prints its seed and the trace, one
// event a line. It owns no goroutine and reads no clock.
package sim
