// Package process runs any flavor in child processes: one child of the same binary per
// worker, with hard limits on memory and time.
//
//	Flavor.Compile --> child: limits, inner.Compile, first instance --> digest, warnings | *Failure
//	                     |
//	Transform.ApplyBatch --frames of messages--> pipe --> child: inner.Apply, one after the other
//	                     <--frames of answers--- pipe <--
//	   watcher reads a page that both share: which message is being run, and since when
//
// Invariants:
//
//  1. No code of the guest runs in the parent: compiling it and running its top level happen
//     in a child as well.
//  2. The child limits itself before it loads code, and again, tighter, before the first
//     message. Neither can be raised by the guest.
//  3. The shared page names the message that is being run at every instant. When the child
//     dies, that message alone is convicted. All others without an answer run again, in a
//     new child, in the same order.
//  4. A child that was killed from outside (SIGKILL, SIGTERM and the like, not by us)
//     convicts nobody, until the same message has met that outsideDeaths times: then it is
//     the likelier cause, and a loop must be impossible. One that was killed while it loaded
//     the code is started again as often.
//  5. A child never outlives its parent (PDEATHSIG), nor the time of a message plus Grace, nor a
//     minute in which it owes an answer and says that it runs nothing.
//  6. What comes from a child is decoded as if an enemy had written it: bounded, checked,
//     fuzzed. A child that breaks the protocol is killed.
//
// Limits, and why these (Linux):
//
//   - Memory: RLIMIT_DATA, which counts private writable memory, used or not. RLIMIT_AS
//     counts reservations too, of which the Go runtime and the runtimes of the guests make
//     gigabytes without touching them: no useful value of it lets a child start. A control
//     group would be exact, but needs rights that a process does not have by itself. The
//     limit is what the child has when it is ready, plus twice the node's budget.memory
//     (garbage, and an instance that takes the place of another), plus room for one
//     message and its outputs. It is hard: the kernel refuses, and the Go runtime ends the
//     process, which is kind memory. What was free inside the heap when the limit was set is
//     the guest's to use besides. The soft part is the Go runtime's own limit (GOMEMLIMIT),
//     half of that above the start: near it, the collector works instead of growing.
//   - Time: the parent's watcher kills a child whose message runs past budget.timeout plus
//     Grace, kind timeout. RLIMIT_CPU is the second guard, for a parent that is stopped.
//   - Depth: the Go stack of a native call in a child is bounded (maxStack), kind stack.
//   - The kernel is asked to end a child before its parent when the machine has no memory.
//   - Under the race detector, whose shadow memory defeats it, there is no memory limit.
//
// Goroutines: one per child waits for it, on its own thread, since the kernel ties PDEATHSIG
// to the thread that started the child; one copies what the child's runtime says before it
// dies; one watcher per Flavor looks at all children. Each ends with its children, which
// Transform.Close gives back to the Module and Module.Close ends.
//
// What a message costs beside its guest (BenchmarkHop, 64 in flight, two shared cores): 0.31 to
// 0.34 µs in the quickest 6,400 of a run, 0.45 to 0.48 on average and in the median, up to 0.65
// beside other work; the aim is 0.6. A batch goes in parts, so that the child runs one while the parent encodes the
// next. Whoever waits looks for 50 µs whether something comes before it sleeps (spinReader), less
// and less often where that was in vain: waking a sleeping core costs a shared machine more than
// the batch. Bodies are cut from what was read (inbox), outputs of a batch from one array, and the
// pipes block their threads, since the poller costs a call of the kernel more on each side.
//
// A child inherits no variable of the environment but those in Options.Env, no terminal
// signals, and no file but its pipes, the page and standard error. It is no sandbox against
// code that escapes its flavor: it has the rights of the user who runs leat.
//
// The package knows no flavor: Serve is handed the map that the binary wires.
package process
