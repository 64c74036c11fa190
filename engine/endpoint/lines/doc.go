// Package lines cuts a stream of bytes into lines and puts lines into groups for one emit.
//
//	io.Reader --Reader.Next--> Line --Group.Add--> []engine.Emission --> emit
//
// Invariants:
//
//  1. The sizes of all lines add up to the bytes read: an offset is never guessed.
//  2. A line ends with "\n"; one "\r" before it belongs to the ending. Any other "\r"
//     is data. Only the last line of a stream may lack its ending.
//  3. Memory is bounded by the limit: of a longer line the first bytes are kept, the rest is read
//     and counted, and the next line is read as if nothing had happened.
//  4. At the end of a stream that may grow (a followed file) an unfinished line stays in
//     the Reader; a later Next goes on with it.
//  5. A group's bytes are copies: the engine owns them and the Reader's buffer is reused.
//
// The package owns no goroutine and opens nothing.
package lines
