package wasm

import (
	"crypto/sha256"
	"math"
	"math/rand/v2"
	"time"
)

// clock is a guest's time: a pure function of the message and of how often the guest
// looked. Its monotonic side starts above zero and moves on with every message and every
// read, since Go's runtime traps at zero and leaks under a clock that stands still.
type clock struct {
	base      time.Time // what the wall clock showed when the Apply began
	started   int64     // monotonic nanoseconds when the Apply began
	monotonic int64     // nanoseconds
}

const (
	clockStart   = int64(time.Second)
	clockMessage = int64(100 * time.Microsecond) // what one message takes
	clockRead    = int64(time.Microsecond)       // what one look takes
)

// startTime is what a guest sees while it initialises, when there is no message yet.
var startTime = time.Date(2022, 1, 1, 0, 0, 0, 0, time.UTC)

func newClock() clock {
	return clock{base: startTime, started: clockStart, monotonic: clockStart}
}

// begin moves the clock to a message.
func (c *clock) begin(ingested time.Time) {
	c.base = ingested
	c.monotonic += clockMessage
	c.started = c.monotonic
}

func (c *clock) nanotime() int64 {
	c.monotonic += clockRead
	return c.monotonic
}

func (c *clock) walltime() int64 {
	return c.base.UnixNano() + c.nanotime() - c.started
}

// sleep passes d without waiting. A guest's longest sleep is cut so that the clock never
// overflows.
func (c *clock) sleep(d int64) {
	c.monotonic += max(min(d, math.MaxInt64/4-c.monotonic), 0)
}

// randomSource gives bytes that follow from the message's id alone.
type randomSource struct {
	id     string
	stream *rand.ChaCha8
}

// begin rewinds the source to a message. The generator is made when it is first asked.
func (r *randomSource) begin(id string) { r.id, r.stream = id, nil }

func (r *randomSource) generator() *rand.ChaCha8 {
	if r.stream == nil {
		r.stream = rand.NewChaCha8(sha256.Sum256([]byte(r.id)))
	}
	return r.stream
}

// seed is AssemblyScript's Math.random seed.
func seed(i *instance, stack []uint64) {
	stack[0] = math.Float64bits(float64(i.random.generator().Uint64() >> 11))
}
