// Package scaffold makes the files of `leat new`: a pipeline, a transform or a stage in one of the
// languages, that runs, has a sample, a suite that passes and a README of ten lines.
//
//	Request{Kind, Name, Language} --templates, SDK--> []File (relative paths), Build, Node block
//
// Invariants:
//
//  1. What it makes passes `leat test` after its Build command (TestScaffolds).
//  2. Nothing is fetched but AssemblyScript's compiler: the SDK lies beside the code, in Go
//     under its own import path by a replace directive.
//  3. It writes no file: package main does, after looking that none is there.
//
// The SDK of Go is a module of its own, which embedding does not reach into: sdk/go is a copy of
// guests/go, and a test holds them equal.
package scaffold
