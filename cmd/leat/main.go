// Command leat runs transforms written in JavaScript, TypeScript or any language that
// compiles to WebAssembly over durable event pipelines.
//
// The package parses, wires and maps errors to exit codes: one file per verb, no logic of
// its own. It is the only package that knows flavors, endpoints, engine and store at once.
//
//	run                 document --pipeline.Load--> Plan --engine--> store, control.sock
//	dlq, replay, status document --pipeline.Name--> access: the store, or the run that owns it
//	explain, --dry-run  document --pipeline.Load--> Plan --engine.Sandbox--> no effect at all
//
// A store has one owner at a time. A verb that finds it taken asks the owner through the socket
// that its lease names (access.go), and ends with 7 where nobody answers.
package main

import (
	"os"

	isolation "github.com/leat-run/leat/flavors/process"
)

func main() {
	if isolation.IsChild() {
		os.Exit(isolation.Serve(flavors()))
	}
	os.Exit(int(Main(os.Args[1:], process())))
}
