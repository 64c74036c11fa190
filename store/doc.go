// Package store keeps everything that a pipeline must not lose: its spool of admitted
// messages, how far they are committed, what its nodes remember, and its dead letters.
// It is the only package that imports Pebble and the only one that knows keys.
//
//	Append(rows) ---+                                              +--> durable watermark --> Rows, ReadRow
//	SetCheckpoint --+--> queue --> committer --> group in flight --+
//	PutLetter ------+   (coalesces) (assigns     (<= 4)   acker    +--> every waiter of the group
//	SetNodeState ---+                seqs)               (SyncWait)
//
// A Log is a Store of its own, one per data dir, that keeps topics and the state of causal stages:
//
//	Log.Begin -> Step: Append, SetState, SetFold, PutLetter … -> Commit --> queue, as above --> ReadRecords, Watch
//
// Invariants:
//
//  1. Seqs are dense: 1, 2, 3 … One goroutine assigns them, a group is one atomic
//     batch, groups reach the log in order: a crash leaves a prefix, never a hole.
//  2. Append returns nil only after its rows are durable (Options.Durability says what
//     that means). Nobody reads a row before that: readers stop at the durable watermark.
//  3. A group that fails fails its own waiters with the same error and nothing else.
//     A caller waits without a context: it always learns whether its rows have a seq.
//  4. The checkpoint and the balance change together, in one batch, and never go back.
//  5. Rows are removed behind the checkpoint only, in the batch that writes the checkpoint
//     or a later one.
//  6. Every value starts with a format byte; the four bytes that start a key name its
//     kind and layout. (Those of stg and fld are laid out by others, and have none.)
//  7. A Step is one part of one group. Offsets of a partition are dense, and steps become durable in the
//     order in which their offsets were given.
//  8. One process owns a store, and inside it one Store.
//  9. Files that somebody removes or replaces below an open store fail it within presenceEvery
//     and a look: what was acknowledged in between may be gone with them, nothing is afterwards.
//
// Goroutines: Open starts a committer, an acker, the space watch, the slow-disk log, the look for the files and Pebble's own, OpenLog one more for retention; Close ends and awaits
// them all, but for those that a failed or full disk holds: they stay parked (gate.go).
//
// The package runs no guest, knows no document, decides no retry and never logs what it
// returns.
package store
