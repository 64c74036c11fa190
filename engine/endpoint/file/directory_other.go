//go:build !unix

package file

// syncDirectory does nothing where a directory cannot be synced: the file system orders names itself.
func syncDirectory(string) error { return nil }
