// Package flavortest is the conformance suite: what every flavor does with the same
// messages.
//
//	Cases --payload {"do": ...}--> one guest per flavor (behaviours.js, behaviours.wasm) --> outputs or kind
//
// Invariants:
//
//  1. A case means the same for every flavor, but for those that name the flavors that can
//     have them (a script cannot trap).
//  2. After every case the next message is right: a failure is over with its message.
//
// It is used by tests only and knows no flavor: a flavor's test hands itself over to Run.
package flavortest
