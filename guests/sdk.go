// Package guests holds the SDKs and worked examples of every language; its tests run the modules that
// are committed.
package guests

import "embed"

// SDK holds the guests' side of the ABI in every language but Go, whose module is its own
// (package scaffold has a copy): what `leat new` lays beside an author's code.
//
//go:embed c/leat.h rust/leat.rs assemblyscript/leat.ts js/leat.d.ts
var SDK embed.FS

// Examples holds the worked examples of a stage, which are what `leat new stage` begins with.
//
//go:embed c/fulfil/fulfil.c rust/fulfil/fulfil.rs assemblyscript/fulfil/fulfil.ts
var Examples embed.FS
