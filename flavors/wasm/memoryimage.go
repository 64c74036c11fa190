package wasm

import "bytes"

// mapBytes is the size from which an image is mapped where the system can, so that only
// the pages which a message touched cost anything. Below it, copying all is cheaper than
// the page faults (README.md, State).
const mapBytes = 192 << 10

// memoryImage is the content that a memory goes back to.
type memoryImage struct {
	size    uint64
	content []byte     // a copy, up to its last byte that is not zero; nil where mapped is used
	mapped  *fileImage // nil where content is used
}

func newMemoryImage(memory []byte) memoryImage {
	img := memoryImage{size: uint64(len(memory))}
	if len(memory) >= mapBytes {
		if img.mapped = newFileImage(memory); img.mapped != nil {
			return img
		}
	}
	img.content = bytes.Clone(bytes.TrimRight(memory, "\x00"))
	return img
}

// attach gives a region its first content; restore brings it back after use.
func (m *memoryImage) attach(region []byte) bool {
	if m.mapped != nil {
		return m.mapped.attach(region[:m.size])
	}
	return m.copyTo(region)
}

func (m *memoryImage) restore(region []byte) bool {
	if m.mapped != nil {
		return m.mapped.restore(region[:m.size])
	}
	return m.copyTo(region)
}

func (m *memoryImage) copyTo(region []byte) bool {
	clear(region[copy(region, m.content):m.size])
	return true
}

func (m *memoryImage) close() {
	if m.mapped != nil {
		m.mapped.close()
	}
}
