package wasm

import (
	"encoding/binary"
	"math"
)

// Sizes and tags of poll_oneoff's records.
const (
	subscriptionBytes = 48
	eventBytes        = 32
	eventClock        = 0
	clockAbsolute     = 1
)

// wasiPoll answers at once: a standard descriptor is ready, another one is bad, and where
// only clocks are waited for the virtual clock jumps to the earliest.
func wasiPoll(i *instance, stack []uint64) {
	n := min(uint64(uint32(stack[2])), math.MaxUint32/subscriptionBytes)
	if n == 0 {
		stack[0] = errnoInval
		return
	}
	in := i.view("poll_oneoff subscriptions", stack[0], n*subscriptionBytes)
	out := i.view("poll_oneoff events", stack[1], n*eventBytes)
	i.charge(len(in) + len(out))
	i.clock.sleep(i.earliest(in))
	events := uint32(0)
	for ; len(in) > 0; in = in[subscriptionBytes:] {
		if i.due(in) {
			putEvent(out[events*eventBytes:], in)
			events++
		}
	}
	i.putU32("poll_oneoff count", stack[3], events)
	stack[0] = errnoSuccess
}

// earliest returns how long the guest would wait: 0 if a descriptor is subscribed to.
func (i *instance) earliest(in []byte) int64 {
	wait := int64(math.MaxInt64)
	for ; len(in) > 0; in = in[subscriptionBytes:] {
		wait = min(wait, i.waits(in))
	}
	return wait
}

func (i *instance) due(subscription []byte) bool { return i.waits(subscription) <= 0 }

// waits returns the nanoseconds until a subscription fires.
func (i *instance) waits(subscription []byte) int64 {
	if subscription[8] != eventClock {
		return 0
	}
	id := binary.LittleEndian.Uint32(subscription[16:])
	timeout := int64(min(binary.LittleEndian.Uint64(subscription[24:]), math.MaxInt64))
	if binary.LittleEndian.Uint16(subscription[40:])&clockAbsolute == 0 {
		return timeout
	}
	now := i.clock.monotonic
	if id == clockRealtime {
		now += i.clock.base.UnixNano() - i.clock.started
	}
	return timeout - now
}

// putEvent writes the event of a subscription that fired. out may overlap in: all of it
// is read first.
func putEvent(out, in []byte) {
	userdata, tag, fd := binary.LittleEndian.Uint64(in), in[8], binary.LittleEndian.Uint32(in[16:])
	clear(out[:eventBytes])
	binary.LittleEndian.PutUint64(out, userdata)
	if tag != eventClock && fd > fdStderr {
		binary.LittleEndian.PutUint16(out[8:], errnoBadf)
	}
	out[10] = tag
}
