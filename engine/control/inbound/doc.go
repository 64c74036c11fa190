// Package inbound is what comes in from the clients of a run, over its control socket and over
// HTTP alike, before anybody acts on it.
//
//	connection --Listener--> as many at once as a server bears; the others wait in the kernel
//	query      --Query-----> names that the request takes, or an error with the nearest one
//	body       --JSON------> one value with keys that the request takes, or an error with the nearest one
//
// Invariants:
//
//  1. What a request does not take is refused and not passed over: a misspelt filter of a
//     request that deletes would select everything.
//  2. A refusal says where in the request it was, and what the name was likely meant to be.
//
// The sizes and times of a request are each server's own; there are no goroutines here.
package inbound
