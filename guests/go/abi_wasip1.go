//go:build wasip1

package leat

import (
	"sort"
	"unsafe"
)

//go:wasmimport leat emit
func hostEmit(pointer unsafe.Pointer, length uint32)

//go:wasmimport leat fail
func hostFail(pointer unsafe.Pointer, length uint32)

//go:wasmimport leat meta_get
func hostMetaGet(key unsafe.Pointer, keyLength uint32, buffer unsafe.Pointer, capacity uint32) int32

//go:wasmimport leat meta_set
func hostMetaSet(key unsafe.Pointer, keyLength uint32, value unsafe.Pointer, valueLength uint32)

//go:wasmimport leat log
func hostLog(level int32, pointer unsafe.Pointer, length uint32)

//go:wasmimport leat now
func hostNow() int64

//go:wasmimport leat config
func hostConfig(buffer unsafe.Pointer, capacity uint32) int32

// input is where the host writes messages, until it asks for more room. The package holds
// it, so that the collector does not take it. Go's collector does not move it.
var input []byte

//go:wasmexport leat_room
func room(length uint32) unsafe.Pointer {
	input = make([]byte, length)
	return unsafe.Pointer(unsafe.SliceData(input))
}

//go:wasmexport transform
func apply(_ unsafe.Pointer, length uint32) int32 {
	outputs, err := transform(Message{Payload: input[:length:length]})
	if err != nil {
		text := err.Error()
		hostFail(unsafe.Pointer(unsafe.StringData(text)), uint32(len(text)))
		return 1
	}
	for i := range outputs {
		if outputs[i].Meta != nil {
			setMeta(outputs[i].Meta)
		}
		payload := outputs[i].Payload
		hostEmit(unsafe.Pointer(unsafe.SliceData(payload)), uint32(len(payload)))
	}
	return 0
}

// setMeta annotates the next output, in the order of the names, so that fuel does not depend on
// the order of a map.
func setMeta(meta map[string]string) {
	names := make([]string, 0, len(meta))
	for name := range meta {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		value := meta[name]
		hostMetaSet(unsafe.Pointer(unsafe.StringData(name)), uint32(len(name)),
			unsafe.Pointer(unsafe.StringData(value)), uint32(len(value)))
	}
}

// Meta returns an annotation of the message at hand; also leat.id, leat.key and leat.source.
func Meta(name string) (value string, ok bool) {
	key := unsafe.Pointer(unsafe.StringData(name))
	b, ok := filled(func(buffer unsafe.Pointer, capacity uint32) int32 {
		return hostMetaGet(key, uint32(len(name)), buffer, capacity)
	})
	return string(b), ok
}

// Config returns the JSON object {"constants": {...}, "parameters": {...}} of the document.
func Config() []byte {
	b, _ := filled(hostConfig)
	return b
}

// filled asks the host for bytes, and again with more room where the first did not do.
func filled(ask func(unsafe.Pointer, uint32) int32) ([]byte, bool) {
	buffer := make([]byte, 256)
	n := ask(unsafe.Pointer(unsafe.SliceData(buffer)), uint32(len(buffer)))
	if n > int32(len(buffer)) {
		buffer = make([]byte, n)
		n = ask(unsafe.Pointer(unsafe.SliceData(buffer)), uint32(n))
	}
	if n < 0 {
		return nil, false
	}
	return buffer[:n], true
}

// Now is the time at which the message was admitted, in milliseconds since 1970.
func Now() int64 { return hostNow() }

// Level of a log line.
type Level int32

// The levels of Log.
const (
	Debug Level = iota
	Info
	Warn
	Error
)

// Log writes a line to the node's log. The node's budget caps it.
func Log(level Level, text string) {
	hostLog(int32(level), unsafe.Pointer(unsafe.StringData(text)), uint32(len(text)))
}
