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
//     duplicates are possible, loss is not. A line keeps its message ID when it is read again, unless
//     its file was renamed meanwhile: the file's name is a part of it.
//  2. A file is resumed only if it is the same content: the fingerprint of its first bytes
//     and of the last committed line must both be as they were, wherever the file is now. Anything
//     else is told (a warning) and read from the beginning.
//  3. Offsets count decoded bytes: those of the text inside a gzip file. One whose end is missing is
//     read on behind its last whole line once it is longer (its text is decompressed again up to
//     there and passed over), whatever file has its name then, if 2 holds: a file that was compressed
//     anew has another beginning, and is another file. One that is broken otherwise is read from its
//     beginning once it has changed, since what was read of it may have been wrong.
//  4. Empty lines are skipped; their number is logged when the file ends.
//  5. A followed line is emitted once it has its ending, when its file was renamed or
//     removed, or when nothing came for idleLine: a writer's half line is not torn.
//  6. In batch mode a file that shrinks, is written anew or is replaced while it is read fails
//     the source (ErrChanged): what was read since the last look is not emitted, since it may be
//     torn. A file that is renamed or removed and has no successor is read to its end.
//
// Invariants of the sink:
//
//  7. The file holds whole lines only: a write that stops half-way is cut off again, at once
//     or when the file is opened the next time.
//  8. Bytes that this sink did not write are never cut. A last line of somebody else
//     that lacks its ending gets one.
//  9. Write returns after fsync of the file and, for a new file, of its directory.
//  10. The file has one sink: it is locked (flock, advisory) while it is open, and a second sink,
//     of whatever process, is refused before it changed anything. Where there is no such lock
//     no file sink opens. Programs that do not lock may still append: see 8.
//
// The package owns no goroutine: Run uses the engine's.
package file
