//go:build unix

package wasm

import (
	"io/fs"
	"os"
	"syscall"
)

// ours says that a directory belongs to the user of this process, and that no other can write
// to it.
func ours(dir fs.FileInfo) bool {
	stat, ok := dir.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid() && dir.Mode().Perm()&0o022 == 0
}
