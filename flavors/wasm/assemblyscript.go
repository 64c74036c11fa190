package wasm

import (
	"encoding/binary"
	"fmt"
	"unicode/utf16"

	"github.com/leat-run/leat/runtime"
)

// envModule holds what AssemblyScript's compiler imports on its own.
const envModule = "env"

func envFunctions() []hostFunction {
	return []hostFunction{
		{"abort", sig("iiii", ""), abort},
		{"seed", sig("", "F"), seed},
	}
}

// abort(message, file, line, column) is a failed assertion or an uncaught throw. Both
// texts are AssemblyScript strings: UTF-16, with their size in bytes before the pointer.
func abort(i *instance, stack []uint64) {
	message := i.managedString(stack[0])
	if message == "" {
		message = "abort"
	}
	panic(&runtime.Failure{
		Kind: runtime.KindGuest, Deterministic: true, Message: message, Cause: errAbort,
		File: i.managedString(stack[1]), Line: int(uint32(stack[2])), Column: int(uint32(stack[3])),
	})
}

// managedString reads an AssemblyScript string; a wrong pointer gives a note, since the
// guest has already failed and its own reason counts more.
func (i *instance) managedString(ptr uint64) string {
	memory, at := i.memory.bytes(), uint64(uint32(ptr))
	if at < 4 || at > uint64(len(memory)) {
		return ""
	}
	size := uint64(binary.LittleEndian.Uint32(memory[at-4:]))
	if at+size > uint64(len(memory)) {
		return fmt.Sprintf("(abort passed a bad string, at %d)", at)
	}
	return decodeUTF16(memory[at : at+min(size, 2*runtime.MaxReason)])
}

func decodeUTF16(b []byte) string {
	units := make([]uint16, len(b)/2)
	for j := range units {
		units[j] = binary.LittleEndian.Uint16(b[2*j:])
	}
	return runtime.Cut(string(utf16.Decode(units)), runtime.MaxReason)
}
