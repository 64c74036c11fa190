//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package file

import (
	"fmt"
	"os"
	goruntime "runtime"
)

// lockOutput refuses: without a lock that dies with its process two sinks could meet in one
// file and write over each other's lines in silence.
func lockOutput(*os.File) error {
	return fmt.Errorf("there is no lock on %s that keeps another writer out; use the stdout sink", goruntime.GOOS)
}
