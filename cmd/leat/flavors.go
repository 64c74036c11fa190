package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/leat-run/leat/engine/endpoint"
	"github.com/leat-run/leat/engine/pipeline"
	isolation "github.com/leat-run/leat/flavors/process"
	"github.com/leat-run/leat/flavors/script"
	"github.com/leat-run/leat/flavors/wasm"
	"github.com/leat-run/leat/runtime"
)

// flavors is the explicit map of the ways to run guest code: nothing registers itself. It is
// a variable for the tests of what happens when a guest kills its process.
var flavors = func() map[string]runtime.Flavor {
	return map[string]runtime.Flavor{
		"script": script.New(script.Options{}),
		"wasm":   wasm.New(wasm.Options{CacheDir: cacheDir()}),
	}
}

// isolated wraps flavors for child processes of this binary, which know them by main.
func isolated(all map[string]runtime.Flavor) map[string]runtime.Flavor {
	out := make(map[string]runtime.Flavor, len(all))
	for name, flavor := range all {
		out[name] = isolation.New(flavor, isolation.Options{Env: childEnv()})
	}
	return out
}

// childEnv is what of the environment leads a child to the user's cache.
func childEnv() (env []string) {
	for _, name := range []string{"HOME", "XDG_CACHE_HOME"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// suspects is the engine's way to ask a child process first about what was in flight at a
// crash; nil where there are no child processes.
func suspects() func(context.Context, *pipeline.Transform) (runtime.Module, error) {
	if !isolation.Supported {
		return nil
	}
	isolated := isolated(flavors())
	return func(ctx context.Context, t *pipeline.Transform) (runtime.Module, error) {
		return isolated[t.Flavor].Compile(ctx, t.Code, t.Settings)
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
	all := flavors()
	return pipeline.Catalog{
		Flavors:  all,
		Isolated: isolated(all),
		Sources:  endpoint.Sources(),
		Sinks:    endpoint.Sinks(),
		Codecs:   []string{"json", "raw"},
	}
}
