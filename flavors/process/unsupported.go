//go:build !linux

package process

import (
	"fmt"
	goruntime "runtime"

	"github.com/leat-run/leat/runtime"
)

// Supported says that this platform can run guests in child processes.
const Supported = false

func unsupported() error {
	return fmt.Errorf("isolation: process works on Linux only: %s has no limits that would hold a guest", goruntime.GOOS)
}

// IsChild returns false: there are no children here.
func IsChild() bool { return false }

// Serve is never called here.
func Serve(map[string]runtime.Flavor) int { return 1 }

func startChild(Options, *watcher, runtime.Budget) (*child, error) { return nil, unsupported() }

// exit reports nothing: there is no child.
func (*child) exit() exit { return exit{} }

type status struct{}
