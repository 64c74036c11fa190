package process

import (
	"context"

	"github.com/leat-run/leat/runtime"
)

// Options of a Flavor. The zero value works.
type Options struct {
	// Env is the environment of the children, as NAME=value; they inherit nothing.
	Env []string
}

// Flavor runs another flavor's guests in child processes. It is safe for concurrent use.
type Flavor struct {
	inner   runtime.Flavor
	options Options
	watcher *watcher
}

var _ runtime.Flavor = (*Flavor)(nil)

// New wraps a flavor that the children's Serve knows by its Name. It starts nothing until
// the first Compile. Nothing of inner is run in this process.
func New(inner runtime.Flavor, o Options) *Flavor {
	return &Flavor{inner: inner, options: o, watcher: newWatcher()}
}

// Name is the wrapped flavor's.
func (f *Flavor) Name() string { return f.inner.Name() }

// Defaults are the wrapped flavor's.
func (f *Flavor) Defaults() runtime.Budget { return f.inner.Defaults() }

// Compile loads the code in a child, which the first Instantiate then uses. A platform
// without the means is an error.
func (f *Flavor) Compile(ctx context.Context, code runtime.Code, settings runtime.Settings) (runtime.Module, error) {
	settings.Budget = settings.Budget.Or(f.inner.Defaults()).Or(runtime.SharedDefaults())
	if err := settings.Budget.Validate(); err != nil {
		return nil, err
	}
	frame, err := appendLoad(nil, load{Flavor: f.inner.Name(), Code: code, Settings: settings, Limited: limitable})
	if err != nil {
		return nil, err
	}
	m := &module{flavor: f, budget: settings.Budget, frame: frame}
	c, says, err := m.start(ctx)
	if err != nil {
		return nil, err
	}
	m.digest, m.warnings, m.files = says.digest, says.warnings, says.files
	m.mu.idle = append(m.mu.idle, c)
	return m, nil
}
