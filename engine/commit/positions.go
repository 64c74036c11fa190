package commit

import (
	"encoding/binary"

	"github.com/leat-run/leat/runtime"
)

// positions are those of one run in one piece of memory without a pointer: where each starts
// and the last ends, 4 bytes each, and then their bytes.
type positions []byte

const placeBytes = 4

func pack(all []runtime.Position) positions {
	places := placeBytes * (len(all) + 1)
	size := places
	for _, p := range all {
		size += len(p)
	}
	packed := make(positions, places, size)
	for i, p := range all {
		packed.place(i, len(packed))
		packed = append(packed, p...)
	}
	packed.place(len(all), len(packed))
	return packed
}

func (packed positions) place(i, at int) {
	binary.LittleEndian.PutUint32(packed[placeBytes*i:], uint32(at))
}

// at returns the position of message i of the run: a part of packed, nil for no bytes.
func (packed positions) at(i int) runtime.Position {
	start := binary.LittleEndian.Uint32(packed[placeBytes*i:])
	end := binary.LittleEndian.Uint32(packed[placeBytes*(i+1):])
	if start == end {
		return nil
	}
	return runtime.Position(packed[start:end:end])
}
