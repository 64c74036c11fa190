//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package store

import (
	"fmt"
	"os"
	goruntime "runtime"
)

// lockFile refuses: without a lock that dies with its process two writers could meet, and
// running on in silence would break every promise of the store.
func lockFile(file *os.File) error {
	return fmt.Errorf("%w: %s: use an ephemeral store", ErrNoLease, goruntime.GOOS)
}
