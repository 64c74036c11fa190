// Package endpoint holds the sources and sinks that ship, and the catalog of them.
//
//	file, stdin, topic --Emission--> engine --Record--> file, stdout, topic, drop
//
// Invariants:
//
//  1. A source hands over bytes that it never touches again; a sink keeps no record
//     after Write returned.
//  2. A sink's Write that returned nil is durable as far as the target can promise it: a
//     file is synced, a pipe has taken the bytes, drop has nothing to keep.
//  3. Every plugin describes its keys with a Spec; the loader has checked them before a
//     constructor runs.
//
// The file source and sink have a folder of their own, so have the lines that they share with stdin.
// The only goroutine is the one that reads standard input (see Stdin).
package endpoint
