package main

import (
	"os"
	"path/filepath"

	"github.com/leat-run/leat/engine/endpoint"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/flavors/script"
	"github.com/leat-run/leat/flavors/wasm"
	"github.com/leat-run/leat/runtime"
)

// flavors is the explicit map of the ways to run guest code: nothing registers itself.
func flavors() map[string]runtime.Flavor {
	return map[string]runtime.Flavor{
		"script": script.New(script.Options{}),
		"wasm":   wasm.New(wasm.Options{CacheDir: cacheDir()}),
	}
}

// cacheDir is where compiled modules are kept: the user's cache, never the data dir, so
// that `leat verify` touches no data. "" (no cache) where the system names none.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "leat")
}

// catalog is all that a document may name.
func catalog() pipeline.Catalog {
	return pipeline.Catalog{
		Flavors: flavors(),
		Sources: endpoint.Sources(),
		Sinks:   endpoint.Sinks(),
		Codecs:  []string{"json", "raw"},
	}
}
