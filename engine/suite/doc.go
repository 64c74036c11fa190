// Package suite runs contract tests: a YAML document beside a pipeline says what to inject
// and what must come of it, and the real engine, in memory, shows whether it does.
//
//	orders.test.yaml --Load--> Suite --Run--> pipeline.Load (once, state: fresh)
//	                                            |
//	             per case: engine.New(Feed = the case's injections, an ephemeral store,
//	                       a fixed clock, counted ids; sinks replaced by recorders)
//	                                            |
//	             what was captured, dead-lettered, filtered, spent --> diff against expect
//
// The suite of a stage lets records arrive at it instead: stage.New and Run on an ephemeral log, before the
// first record and after each, so that what is delivered and held is a function of the order of arrival.
//
// A case fails on the first run that differs: there is no time in it. Sources and sinks of the
// document are never opened, so that a test touches no file but the samples it names.
//
// Invariants:
//
//  1. A suite that names what does not exist (a node, a file, a key) is a diagnostic with
//     its position, found before any case runs.
//  2. Two runs of a case give the same verdict and the same diff: the clock stands at `now`,
//     message ids count from m-1, guests have no other source of chance. What reaches a node
//     is listed in the order of the injections; messages of one injection that meet again
//     behind two ways are listed by their bytes.
//  3. A dead letter that no case expects fails the case. A module is compiled once per suite.
//  4. What a person wrote is never rewritten: --update writes snapshot files only
//     (NAME.snapshots/CASE.NODE.json), so that a suite keeps its comments and layout. No two
//     captures have one file: a suite where they would is refused.
//
// README.md is the reference of the document. The package starts no goroutine of its own: the
// engine's end with each case.
package suite
