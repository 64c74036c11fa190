// Package pipeline turns a document into a Plan, or into a Stage: verified, immutable, every
// default written in.
//
//	text --document.Reader, driven by the tables (tables.go)--> Objects, ${...} replaced, defaults filled in
//	                                                              |
//	   names, edges, cycles (nodes.go) <--- build.go ---> code (guest.go), by the catalog's flavors
//	                                          |     \---> CEL (compiler.go) --> Expression <--- View (view.go) per message
//	                                          v
//	               Plan  or  every Diagnostic at once, by position (codes: README.md)
//
// The same tables make the JSON Schema for editors (Schema). InsertTransform edits a document's
// text in place.
//
// Invariants:
//
//  1. A Plan exists only if no diagnostic is an error. It is never changed afterwards;
//     Close releases its modules.
//  2. A key, its default and its bounds stand in one table, once.
//  3. One mistake is one diagnostic: what follows from it is not reported.
//  4. The same document, environment, parameters and files give the same diagnostics in
//     the same order.
//  5. An expression's work is bounded: by its text and the payload where it has no loop, by a
//     cost limit where it has one.
//
// The package reads the files that a document names and writes none. It owns no goroutine.
// It knows no flavor and no endpoint: the Catalog names them. It does not run pipelines.
package pipeline
