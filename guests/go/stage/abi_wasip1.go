//go:build wasip1

package stage

import (
	"unsafe"

	_ "github.com/leat-run/leat/guests/go" // exports the room for calls
)

//go:wasmimport leat emit
func hostEmit(pointer unsafe.Pointer, length uint32)

//go:wasmimport leat fail
func hostFail(pointer unsafe.Pointer, length uint32)

//go:wasmexport fold
func exportedFold(call unsafe.Pointer, length uint32) int32 { return run(fold, call, length) }

//go:wasmexport handle
func exportedHandle(call unsafe.Pointer, length uint32) int32 { return run(handle, call, length) }

func run(f entry, call unsafe.Pointer, length uint32) int32 {
	answer, err := f(unsafe.Slice((*byte)(call), length))
	if err != nil {
		text := err.Error()
		hostFail(unsafe.Pointer(unsafe.StringData(text)), uint32(len(text)))
		return 1
	}
	hostEmit(unsafe.Pointer(unsafe.SliceData(answer)), uint32(len(answer)))
	return 0
}
