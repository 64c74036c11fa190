package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
)

// runProfiled is run; with --profile, of code that says where its fuel goes. A sample that fails
// has a profile too: that of what it spent until then.
func (t *trial) runProfiled(c *cli.Context, catalog pipeline.Catalog, m runtime.Message) error {
	name := c.String("profile")
	if name == "" {
		return t.run(c.Context, t.node.Module, m)
	}
	profiler, err := t.profiler(catalog)
	if err != nil {
		return err
	}
	var fuel runtime.FuelProfile
	module, err := profiler.Profile(c.Context, t.node.Code, t.node.Settings, &fuel)
	if err != nil {
		return t.fault(err)
	}
	defer func() { _ = module.Close() }() // what was asked for was answered
	if err := t.run(c.Context, module, m); err != nil {
		return err
	}
	return writeProfile(name, fmt.Sprintf("leat try: fuel of %s on one message", t.node.Name), &fuel)
}

// profiler is the node's flavor, if it can tell where fuel goes and the node lets it run here.
func (t *trial) profiler(catalog pipeline.Catalog) (runtime.Profiler, error) {
	profiler, ok := catalog.Flavors[t.node.Flavor].(runtime.Profiler)
	switch {
	case t.node.Isolation == pipeline.IsolationProcess:
		return nil, usagef("profile code that you trust, with isolation: none", "%s runs in a child process, which --profile cannot look into", t.node.Name)
	case !ok:
		return nil, usagef("", "%s is of a flavor that cannot be profiled: %s", t.node.Name, t.node.Flavor)
	}
	return profiler, nil
}
