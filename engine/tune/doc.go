// Package tune says what budgets should be, from what messages needed.
//
//	Measure: the plan's transforms over a sample or a spool, in memory, under raised budgets --\
//	a running engine: Evidence is its engine.Observer -------------------------------------------+--> Evidence
//	                                                                                                   |
//	   Advise: p50/p95/p99/max, histogram, what a candidate budget would fail, by input size, <--------/
//	           a suggestion with its reason --> Report --> Draw (a terminal), JSON, pipeline.EditBudget
//
// Invariants:
//
//  1. A resource is measured on the calls that succeeded. A call that ended at a budget
//     says how much it was allowed and not what it needed: it is counted apart, and the node
//     then gets no suggestion, since its true need is unknown.
//  2. Evidence has a bound: a Distribution keeps counts in steps of 1/64 of an octave, each
//     with its least and its greatest value, so that a share is exact wherever the values of
//     a step are all on one side of the budget.
//  3. A suggestion needs MinMessages. From fewer, the greatest value seen says too little
//     about the next message: with n messages, more than 3/n of all may need more than their
//     maximum (at 95 % confidence); 300 make that one in a hundred.
//  4. Fuel and memory are suggested as maximum x headroom, rounded up, and no less than a
//     floor (LeastFuel): what an error costs that no message threw is in no number. The timeout is only
//     ever raised: time depends on the machine and its load, fuel is the unit of work.
//
// All but Measure is pure. Measure owns the engine that it runs, and returns when that has
// ended; it opens no source and no sink of the document. Evidence may be used from several
// goroutines.
package tune
