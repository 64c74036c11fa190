package script

import (
	"context"
	"sync"
	"time"

	"github.com/dlclark/regexp2/v2"

	"github.com/leat-run/leat/runtime"
)

// FuelVersion names the unit in which fuel is counted. It changes when the same script
// on the same message may cost another amount, and is part of every digest.
const FuelVersion = "script-fuel/4"

// Options are what a Flavor can be told. The zero value is the default.
type Options struct{}

// Flavor compiles scripts. It is safe for concurrent use.
type Flavor struct {
	dog    *watchdog
	realms realms
}

var once sync.Once

// matchClock is how exactly a backtracking match meets its deadline.
const matchClock = 10 * time.Millisecond

// New returns the script flavor. It sets two variables of the process, once: time.Local is
// UTC, since goja takes a Date's zone from there, and a message must mean the same on
// every host; and regexp2's clock is finer than it is by birth.
func New(Options) *Flavor {
	once.Do(func() {
		time.Local = time.UTC
		regexp2.SetTimeoutCheckPeriod(matchClock)
	})
	return &Flavor{dog: newWatchdog()}
}

var _ runtime.Flavor = (*Flavor)(nil)

// Name returns "script".
func (f *Flavor) Name() string { return "script" }

// Defaults returns the budget of a node that says nothing (flavors.md, Budget keys).
func (f *Flavor) Defaults() runtime.Budget {
	b := runtime.SharedDefaults()
	b.Fuel, b.Stack = 10_000_000, 256
	return b
}

// Compile bundles, checks and compiles a script. See runtime.Flavor.
func (f *Flavor) Compile(ctx context.Context, code runtime.Code, settings runtime.Settings) (runtime.Module, error) {
	settings.Budget = settings.Budget.Or(f.Defaults())
	if err := settings.Budget.Validate(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	built, failure := build(code)
	if failure != nil {
		return nil, failure
	}
	return f.compile(ctx, code, settings, built)
}
