package wasm

import "math"

// room is where a guest that exports leat_room has its messages written: it stays so until
// a message is longer than any before, so that most of them cost one call and not two.
type room struct {
	ptr, size uint64
}

// leastRoom is what a room is asked for at least. For a longer message an eighth more is
// asked for than it needs, so that ever longer ones do not ask each time; not twice as much,
// since that might not fit into a memory which holds the message.
const leastRoom = 4096

// roomFor returns where n bytes may be written, as the guest says; 0 says nowhere.
func (i *instance) roomFor(n int) (uint64, error) {
	if i.module.entry.alloc != exportRoom {
		return i.ask(uint64(n))
	}
	if size := uint64(n); size > i.room.size || i.room.size == 0 {
		size = max(size+size/8, leastRoom)
		ptr, err := i.ask(size)
		if err != nil || ptr == 0 {
			return 0, err
		}
		i.room = room{ptr, size}
	}
	return i.room.ptr, nil
}

func (i *instance) ask(size uint64) (uint64, error) {
	if size > math.MaxUint32 {
		return 0, nil // no guest has that much
	}
	stack := [1]uint64{size}
	err := i.alloc.CallWithStack(i, stack[:])
	return uint64(uint32(stack[0])), err
}
