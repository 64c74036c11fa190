// Package file is the file source and the file sink.
//
//	path or glob --match--> stream (open file, plain or gzip) --lines.Reader--> group --emit--> engine
//	                           ^                                                                 |
//	                           |                 place of every file  <--Commit(position)--------+
//	                     resume: same content?
//
//	engine --Write(batch)--> one write(2), fsync --> path
//
// Invariants of the source:
//
//  1. State names only what is committed, so a restart re-reads at most what was in flight:
//     duplicates are possible, loss is not. A line keeps its message ID when it is read again.
//  2. A file is resumed only if it is the same content: the fingerprint of its first bytes
//     and of the last committed line must both be as they were, wherever the file is now. Anything
//     else is told (a warning) and read from the beginning.
//  3. Offsets count decoded bytes: those of the text inside a gzip file.
//  4. Empty lines are skipped; their number is logged when the file ends.
//  5. A followed line is emitted once it has its ending, when its file was renamed or
//     removed, or when nothing came for idleLine: a writer's half line is not torn.
//
// Invariants of the sink:
//
//  6. The file holds whole lines only: a write that stops half-way is cut off again, at once
//     or when the file is opened the next time.
//  7. Bytes that this sink did not write are never cut. A last line of somebody else
//     that lacks its ending gets one.
//  8. Write returns after fsync of the file and, for a new file, of its directory.
//
// The package owns no goroutine: Run uses the engine's.
package file
