// Package document reads strict YAML documents by tables of typed fields, and reports
// everything that is wrong with one at once.
//
//	text --Parse--> yaml tree --Reader.Open(Shape)--> Object --Value--> checked values, defaults filled in
//	                                 |                                      |
//	                                 +---------------- Report <-------------+--> []Diagnostic, by position
//
// Edit, Replace and Insert edit a document's text and leave every other byte of it as it is.
// Each makes the new text and, beside it, the tree that it must read as: a text that reads as
// anything else is an error. Where the parser says that a value stands is looked up in the
// text as the parser cuts it into lines (its line ends are more than LF), and is never trusted.
//
// A Shape is a table: the keys that a mapping may hold, each with its type, default and
// bounds. The same table reads a document, lists its defaults and becomes the JSON
// Schema that editors use (Schema), so that nothing about a key is written twice.
//
// Invariants:
//
//  1. A key that no table names is a diagnostic, never ignored.
//  2. Reading goes on after a mistake: a value that is wrong is reported once and reads as
//     its default, so that what depends on it does not fail a second time.
//  3. A default is filled in here and nowhere else.
//  4. ${...} is replaced in values in one pass: what comes out is not looked at again.
//  5. No text makes the package panic, and the work is bounded: MaxBytes of text,
//     MaxNodes visited with every alias followed, maxDepth levels.
//
// The package owns no goroutine, reads no file and knows no pipeline. It is the only
// package that imports the YAML parser.
package document
