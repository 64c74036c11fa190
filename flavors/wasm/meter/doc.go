// Package meter rewrites a WebAssembly module so that it counts its own fuel and call
// depth, and asks its host before it runs on: bytes in, bytes out.
//
//	module ──parse──► index spaces, sections ──scan──► facts of each function
//	                                                        │ call graph: cycles, bounds
//	                                                        ▼
//	rewritten ◄──assemble── thunks, bulk functions ◄──walk── bodies, callees first
//
// An engine without fuel (wazero) then gives deterministic CPU budgets, deadlines that
// hold and cancellation at a few percent of run time. Both engines, compiled and
// interpreted, count the same.
//
// # What a host does
//
// Once per module: Rewrite, then compile Rewritten.Module under a key that holds
// Rewritten.Version. Once per runtime: provide module ImportModule with two functions,
// RefillName and EnterName, both (counter i64) -> i64. Once per instance: look up the
// exported mutable global CounterExport; keep instances anonymous, so that no other
// module can import it. Before every call into the guest that is not nested in another:
//
//	account, counter := meter.Open(budget, chunk, stack)
//	global.Set(uint64(counter))
//
// and, when it returned, account.Used(int64(global.Get())) is the fuel it took, and
// account.Spent(...) tells a call that passed its budget in the stretch between its
// last check and its end: that is a fuel failure as well.
//
// refill(counter):
//  1. if the deadline has passed (look at the clock: a context's timer may be late when
//     every processor runs guests) or the call is cancelled, panic with a typed error;
//     wazero hands it to the caller so that errors.Is finds it;
//  2. runtime.Gosched() if the last yield is more than about a millisecond ago;
//  3. add, ok := account.Grant(counter); if !ok, panic with the fuel error;
//  4. add to the exported global too: Set(Get() + add). The counter of a function with
//     loops is in a local, and the global stands for what was used up to the last call. The
//     rewritten code relies on it, and with it Used is the same after a trap on every engine
//     and for every chunk;
//  5. return counter + add.
//
// refill may be asked with a counter that is not negative (long bulk operations, for
// the deadline's sake); then add is 0.
//
// enter(counter): if TooDeep(counter), panic with the stack error; else as refill. A host
// function that calls back into the guest leaves counter and account alone.
//
// The account must be found through the call's context or the instance; where there is
// none, refuse: unlimited is not a default. A start function, and whatever else runs
// during instantiation, needs an account opened before; the counter then begins with
// DefaultStack, and Used counts from it just so.
//
// Discard an instance after any failure: it may stand in the middle of anything.
//
// # What is promised
//
//  1. Fuel is exact: the cost of the instructions executed, whatever the engine, the
//     chunk and the host. A guest is stopped at the first check where it has used more
//     than its budget, or is certain to (ahead.go), which is the same place in every run.
//  2. No path runs more than about 20,000 units between two checks: each loop checks
//     at its head, or begins with a call that does; each function checks at its entry,
//     unless all it can do is small; and long stretches and code after calls of unknown
//     depth are cut (gap.go). Bulk operations are charged by length and done in pieces
//     (bulk.go).
//  3. Call depth is bounded, at a deterministic place. It is counted in frames that call
//     others; a frame of many locals or a very large function counts as several.
//  4. Nothing the guest can name reaches the counter: every index is checked against the
//     spaces of the original module, and the names of the meter are refused.
//  5. The rewritten module means what the original did, and one that was invalid stays
//     so. Anything outside core WebAssembly 2.0 is refused, by name and offset.
//  6. Rewrite never panics, whatever the bytes, and needs memory in proportion to them. A
//     module on which the engine's compiler would spend minutes is refused (effort.go).
//  7. Names of functions survive, with shifted indices; appended functions are named with
//     FramePrefix. Debug sections are dropped: their offsets would be wrong.
//
// # What is not
//
// Time spent in host functions is the host's to bound. memory.grow is charged but cannot
// be cut: reserve an instance's memory up front where growing must be quick. The bound on
// tables is Options.TableElements; the bound on memory is the engine's. The interpreter
// has a lower bound on its depth (2,000 frames), and ends there with an error of its own.
//
// The package owns no goroutine, reads no clock and imports no engine.
package meter
