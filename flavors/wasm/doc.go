// Package wasm is the flavor that runs WebAssembly: any language that compiles to a core
// module, under ABI leat/1 (README.md), on wazero.
//
//	bytes --preview: our own decoder, every load error in our own words
//	      --meter: fuel written into the code        (package meter)
//	      --wazero: machine code, cached on disk
//	      --start: _initialize once, at Compile
//	                |
//	Message --leat_alloc, copy, transform--> emit, meta_set ... --> Messages
//	                |
//	                +--trap, exit, refused memory, spent budget--> *runtime.Failure
//
// Invariants:
//
//  1. Nothing ambient reaches a guest: time is the message's, chance follows from its id,
//     there are no files, variables, arguments or sockets.
//  2. A failure's kind comes from the identity of an error (probe.go), never from its text.
//  3. Every pointer and length from a guest goes through instance.view.
//  4. Memory is bounded where it grows (linear.Reallocate), so that a refused growth is a
//     fact and not a guess.
//  5. An instance that failed is never given another message.
//  6. A guest's bytes are copied before a host function returns; no message aliases memory.
//
// An instance belongs to one goroutine. The package starts one per module now and then, which
// makes the spare instance (spare.go); Module.Close waits for it. It does not know pipelines or the store, and does not retry.
package wasm
