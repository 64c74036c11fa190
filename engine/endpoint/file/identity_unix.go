//go:build unix

package file

import (
	"io/fs"
	"syscall"
)

// identify returns what stays the same when the file is renamed.
func identify(_ string, info fs.FileInfo) identity {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}
	}
	return identity{Device: uint64(st.Dev), Inode: st.Ino} //nolint:unconvert // Dev is 32 bits wide on some systems
}
