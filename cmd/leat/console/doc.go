// Package console is the HTTP side of a run (leat run --http ADDR): what an operator's
// browser, scripts and Prometheus see of it, and how they steer it.
//
//	               guard (Host or token, origin, size and time of a request)
//	                 |
//	browser ------> page/        one document, its script and style, embedded
//	browser <-SSE-- live         every second: state, rates, histograms of every pipeline
//	scripts ------> api          status, dlq, replay, pause, resume, drain, tail
//	Prometheus ---> metrics      Engine.Status and Store when asked; Recorder all the time
//	                 |
//	          Engine, Store, Plan of each pipeline
//
// A Recorder is the engine's Observer: it exists before the engine does, on the path of
// every message, and holds what only distributions can tell. All other numbers are read
// when somebody looks.
//
// Invariants:
//
//  1. On a loopback address a request must name a loopback Host; any other address needs a
//     token, which travels in a header only. The page itself, health and readiness hold no
//     data of the pipelines and need none.
//  2. A request that changes anything comes from the page itself or from no page at all.
//  3. Whatever a guest, a message or a file name contributed leaves as JSON and is shown as
//     text. telemetry.redact is applied to every payload before it leaves, and to every text about a
//     message that may quote one (codec.Redactor says what it finds there and what it cannot).
//  4. Every response has a time limit, every request a size, every list and stream a bound
//     with a name (bounds.go). What a request does not take, in its body or its query, is
//     refused (package inbound).
//  5. Instruments, routes and their description are tables: instruments.go, routes.go and
//     openapi.json, held together by tests.
//
// Goroutines: Serve starts the listener's and one that samples every second; net/http has
// one per connection. Close ends and awaits them.
//
// The package decides nothing about messages, stores nothing, and does not log payloads.
package console
