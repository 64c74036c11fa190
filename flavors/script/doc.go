// Package script runs JavaScript and TypeScript transforms on goja.
//
//	source --prescan--> esbuild (bundle, types off, ES2022) --> goja.Parse --> ticks --> CompileAST   once
//	                                                                                       |
//	                       a hardened VM per worker <-- module body runs, globals frozen --+
//	                                   |
//	payload bytes --index--> lazy view --transform(msg, ctx)--> value --splice--> payload bytes       per message
//
// Invariants:
//
//  1. Bytes that the guest does not touch leave as they came: an output is spliced
//     from the input's text and from what was assigned (view_object.go, encode.go).
//  2. Guest code runs only inside instance.guarded, with a deadline, fuel and a call
//     depth. Reading a result and describing an exception happen there too, since a
//     getter, a toJSON or a toString is guest code.
//  3. The end of a budget cannot be caught by the guest: a limit unwraps to goja's
//     InterruptedError, which no catch and no finally sees.
//  4. After a failure that leaves the VM in doubt the instance is Spent and never used
//     again; an exception the guest threw leaves it usable.
//  5. A native that can burn time or memory without executing bytecode pays fuel and
//     memory before it runs (builtins.go), or is absent.
//     One that can call another through what the guest gave it is counted among those that stand
//     inside each other (nest.go): a Go stack that overflows ends the process.
//  6. goja's own matching of regular expressions is never reached: match.go is (pattern.go).
//  7. Fuel is a function of code, message and instance history; its unit is FuelVersion.
//  8. No parser sees a source that nests deeper than it may: both recurse, and a Go stack that
//     overflows ends the process. The pre-scan never takes code for text; where only the grammar can
//     tell a regular expression from a division, and it matters, it refuses (prescan_slash.go).
//
// Goroutines: a Flavor owns one watchdog goroutine, which runs while it has open
// instances and ends with the last one's Close. regexp2 keeps a clock goroutine for a second after the last
// match that backtracked. Everything else runs on the caller's.
//
// The package does not know pipelines and does not promise to hold a script that
// attacks the engine itself: that is what flavors/process is for.
package script
