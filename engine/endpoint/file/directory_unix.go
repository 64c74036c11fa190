//go:build unix

package file

import "os"

// syncDirectory makes a new file's name durable.
func syncDirectory(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}
