package wasm

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// fileImage is an image in an anonymous file, which memories map privately: a page that a
// guest writes becomes its own, and dropping those pages brings the image back.
type fileImage struct{ fd int }

// newFileImage returns nil where the system gives no such file; the image is copied then.
func newFileImage(content []byte) *fileImage {
	fd, err := unix.MemfdCreate("leat-image", unix.MFD_CLOEXEC)
	if err != nil {
		return nil
	}
	img := &fileImage{fd}
	if err := img.write(content); err != nil {
		img.close()
		return nil
	}
	return img
}

func (f *fileImage) write(content []byte) error {
	for len(content) > 0 {
		n, err := unix.Write(f.fd, content)
		if err != nil {
			return err
		}
		content = content[n:]
	}
	return nil
}

// attach maps the file over a part of a reservation, at its place.
func (f *fileImage) attach(region []byte) bool {
	_, err := unix.MmapPtr(f.fd, 0, unsafe.Pointer(unsafe.SliceData(region)), uintptr(len(region)),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED|unix.MAP_NORESERVE)
	return err == nil
}

// restore drops the pages that were written.
func (f *fileImage) restore(region []byte) bool {
	return unix.Madvise(region, unix.MADV_DONTNEED) == nil
}

func (f *fileImage) close() { _ = unix.Close(f.fd) }
