// Package control lets another process of the same user speak with a run: HTTP over a unix
// socket beside the store's lease.
//
//	leat status|dlq|replay|try --Client--> control.sock (0600) --Server--> Engine, Store
//
//	GET  /status        engine.RunStatus
//	GET  /dlq           store.DeadLetter, one a line, the oldest first
//	POST /dlq/delete    {"ids": [...]}
//	GET  /spool/{seq}   store.Row
//	POST /replay        {"ids": [...], "at": "", "delete": false} -> engine.ReplayResult
//	                    {"window": {"from": 1, "to": 9}, "at": ""} -> the same; 416 where the spool has it not
//	POST /drain         202: the run ends once what is in flight is done
//
// Filters are the client's: it reads the letters, selects, and names them by id.
//
// Invariants:
//
//  1. The socket is reachable by its owner only, from the moment it exists: it is made in
//     a private directory and moved into place.
//  2. A socket that a dead process left is replaced: the lease says that it is dead.
//  3. Connections, and a request's size and time, are bounded (server.go); what a request does not
//     take is refused (package inbound). An answer has no bound of time: a replay is waited for.
//  4. Close returns after the last request ended, within a bound.
//
// Goroutines: Serve starts one, and net/http one per connection; Close ends and awaits
// them.
package control
