// Command leat runs transforms written in JavaScript, TypeScript or any language that
// compiles to WebAssembly over durable event pipelines.
//
// The package parses, wires and maps errors to exit codes: one file per verb, no logic of
// its own. It is the only package that knows flavors, endpoints, engine and store at once.
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
