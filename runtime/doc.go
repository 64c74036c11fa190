// Package runtime is the vocabulary of leat and the contract between the engine
// and whatever runs a guest's code. It imports the standard library only.
//
//	document --Flavor.Compile (once)--> Module --Instantiate (per worker)--> Transform
//	                                                                             |
//	        Message --Transform.Apply under a Budget--> 0..N Messages  or  *Failure, always with Usage
//
// Invariants:
//
//  1. A Message is a value. Its Payload, Key and Meta are never written after
//     they were attached to it: whoever wants another value attaches another one.
//     That is what isolates sibling branches (promise 8 of the engine).
//  2. A guest's fault is a *Failure with a Kind set where it arises. Any other error
//     of Apply is the world's (a cancelled context, a child process that cannot be
//     started) and never becomes a dead letter by itself.
//  3. A Transform belongs to one goroutine. After an Apply that leaves it Spent, it
//     is closed and replaced before the next message (see Worker).
//  4. Fuel is deterministic; Duration is not; Memory is exact for wasm and
//     approximate for scripts.
//
// The package owns no goroutine. It does not know pipelines, stores or the network.
//
// It shares its name with the standard library's runtime: import that one as goruntime.
package runtime
