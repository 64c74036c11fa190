package meter

// The counter is one 64-bit number that the rewritten code carries about: fuel left in
// the upper 48 bits, signed, and the call depth in the lower 16, counted upwards to
// guard. Both change in one subtraction, so the depth costs nothing beyond a constant,
// and the sign of the counter is the sign of the fuel.
//
//	 63                              16 15     0
//	+----------------------------------+--------+
//	| fuel left of what was granted    | depth  |   depth >= guard: too deep
//	+----------------------------------+--------+
const (
	depthBits = 16
	guard     = 1 << (depthBits - 1)

	// MaxStack is the largest depth bound that Open accepts.
	MaxStack = guard - 1
	// DefaultStack bounds the depth of a start function, which runs before any Open.
	DefaultStack = 10_000
	// DefaultChunk is a good size for a grant: 50 to 250 microseconds of ordinary code.
	DefaultChunk = 1_000_000

	maxChunk = 1 << 40
	// maxFrame is the largest weight of one frame. What may nest between two checks of
	// the depth (treeBound/costCall or maxUnchecked frames) must fit above guard.
	maxFrame     = 512
	maxUnchecked = 8
)

// Account is the host's half of the meter for one call into the guest: it hands out the
// budget in chunks. It is plain arithmetic; deadline, cancel and yielding are the
// host's to look at each time it is asked (doc.go).
//
// INVARIANT: used fuel = granted - fuel left in the counter, at any point where the
// counter is exact. It does not depend on the chunk.
type Account struct {
	chunk, budget, granted int64
	stopped                int64 // fuel used when a grant was refused; 0 before
}

// Open starts an account and returns the value to give to the counter before the call.
// The budget is in units of fuel, the stack in frames, cut to 1 .. MaxStack. A chunk
// of 0 means DefaultChunk.
func Open(budget, chunk int64, stack int) (Account, int64) {
	if chunk <= 0 {
		chunk = DefaultChunk
	}
	return Account{chunk: min(chunk, maxChunk), budget: max(budget, 0)}, start(stack)
}

// SetChunk changes how much is granted at a time from now on: a host that sees how long a
// chunk lasts can have the next one last as long as it likes. Fuel does not depend on it.
func (a *Account) SetChunk(chunk int64) { a.chunk = min(max(chunk, 1), maxChunk) }

// start is the counter's value with no fuel granted and the given depth allowed.
func start(stack int) int64 {
	return int64(guard - 1 - min(max(stack, 1), MaxStack))
}

// Grant returns what is to be added to the counter so that it is no longer negative, in
// whole chunks and within the budget, and true; or false once the budget is spent. A
// counter that is not negative gets 0 and true.
func (a *Account) Grant(counter int64) (add int64, ok bool) {
	short := -(counter >> depthBits)
	if short <= 0 {
		return 0, true
	}
	wanted := (short + a.chunk - 1) / a.chunk * a.chunk
	grant := min(wanted, a.budget-a.granted)
	if grant < short {
		a.stopped = a.granted + short
		return 0, false
	}
	a.granted += grant
	return grant << depthBits, true
}

// Used returns the fuel spent so far, exact after a return and after a refused grant. After
// a trap the counter lacks what was spent since the last call or return of the function that
// trapped, and may hold a little of what would have come next: the same on every engine
// and for every chunk, if grants were added to the exported counter too.
func (a *Account) Used(counter int64) int64 {
	return max(a.stopped, a.granted-counter>>depthBits)
}

// Spent reports whether more than the budget was used: true for a call that ended well
// in the stretch between its last check and its end.
func (a *Account) Spent(counter int64) bool { return a.Used(counter) > a.budget }

// TooDeep reports whether the counter says that the depth bound was passed.
func TooDeep(counter int64) bool { return counter&guard != 0 }

// Units returns n units of fuel as a difference of the counter: what a host function takes
// from the exported counter for work that it does for the guest.
func Units(n int64) int64 { return n << depthBits }
