package process

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// newPage makes a page and the file through which a child maps it.
func newPage() (page, *os.File, error) {
	fd, err := unix.MemfdCreate("leat", unix.MFD_CLOEXEC)
	if err != nil {
		return page{}, nil, fmt.Errorf("process: make shared memory: %w", err)
	}
	file := os.NewFile(uintptr(fd), "page")
	if err := file.Truncate(int64(os.Getpagesize())); err != nil {
		_ = file.Close() // the error at hand is the cause
		return page{}, nil, fmt.Errorf("process: size shared memory: %w", err)
	}
	p, err := mapPage(file)
	if err != nil {
		_ = file.Close() // likewise
	}
	return p, file, err
}

// mapPage maps the page of a file. The mapping outlives the file.
func mapPage(file *os.File) (page, error) {
	memory, err := unix.Mmap(int(file.Fd()), 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return page{}, fmt.Errorf("process: map shared memory: %w", err)
	}
	word := func(n int) *atomic.Uint64 { return (*atomic.Uint64)(unsafe.Pointer(&memory[n*pageWord])) }
	return page{
		running: word(0), asked: word(1), answered: word(2),
		release: func() { _ = unix.Munmap(memory) }, // fails only for what is not mapped
	}, nil
}
