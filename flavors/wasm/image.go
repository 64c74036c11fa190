package wasm

import (
	"fmt"

	"github.com/tetratelabs/wazero/api"

	"github.com/leat-run/leat/flavors/wasm/meter"
)

// image is a guest's state after it started: what a new instance begins with, and what
// `state: fresh` goes back to. Only a module whose whole state is memory and numeric
// globals has one: the meter says so (its tables and segments cannot change).
type image struct {
	memory  memoryImage
	globals []uint64
	clock   clock
}

// snapshot takes the image of a started instance, or returns nil if the module has state
// that could not be brought back.
func (i *instance) snapshot() *image {
	if i.guest.ExportedGlobal(meter.ResettableExport) == nil {
		return nil
	}
	i.globals = mutableGlobals(i.guest)
	img := &image{memory: newMemoryImage(i.memory.bytes()), clock: i.clock}
	for _, g := range i.globals {
		img.globals = append(img.globals, g.Get())
	}
	return img
}

// mutableGlobals returns the guest's own mutable globals, which the meter exports.
func mutableGlobals(guest api.Module) []api.MutableGlobal {
	var out []api.MutableGlobal
	for n := 0; ; n++ {
		g, ok := guest.ExportedGlobal(fmt.Sprintf("%s%d", meter.GlobalExport, n)).(api.MutableGlobal)
		if !ok {
			return out
		}
		out = append(out, g)
	}
}

// adopt gives a new instance, whose start code has not run, the state of the image.
func (i *instance) adopt(img *image) bool {
	if missing := img.memory.size - i.memory.size; i.memory.size < img.memory.size {
		if _, ok := i.guest.Memory().Grow(uint32(missing / pageBytes)); !ok {
			return false
		}
	}
	i.globals = mutableGlobals(i.guest)
	if i.memory.size != img.memory.size || !img.memory.attach(i.memory.region) {
		return false
	}
	i.restoreGlobals(img)
	return true
}

// reset brings a used instance back to the image. It fails for one whose memory has
// grown, since memory never shrinks: that one is replaced.
func (i *instance) reset(img *image) bool {
	if i.memory.size != img.memory.size || !img.memory.restore(i.memory.region) {
		return false
	}
	i.restoreGlobals(img)
	return true
}

func (i *instance) restoreGlobals(img *image) {
	for n, g := range i.globals {
		g.Set(img.globals[n])
	}
	i.clock, i.room = img.clock, room{}
	i.log.partial = nil
}
