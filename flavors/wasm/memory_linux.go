package wasm

import "golang.org/x/sys/unix"

// reserve returns limit bytes that read as zero and cost nothing until they are touched,
// or nil if the process has no address space left for them.
func reserve(limit uint64) []byte {
	region, err := unix.Mmap(-1, 0, int(limit), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	return region
}

// release unmaps a reservation; it fails only for a range that reserve did not return.
func release(region []byte) { _ = unix.Munmap(region) }
