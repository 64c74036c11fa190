//go:build !linux

package wasm

// fileImage exists on Linux only; elsewhere every image is copied.
type fileImage struct{}

func newFileImage([]byte) *fileImage          { return nil }
func (*fileImage) attach(region []byte) bool  { return false }
func (*fileImage) restore(region []byte) bool { return false }
func (*fileImage) close()                     {}
