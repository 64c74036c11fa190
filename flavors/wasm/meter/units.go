package meter

// Units returns n units of fuel as a difference of the counter: what a host function takes
// from the exported counter for work that it does for the guest.
func Units(n int64) int64 { return n << depthBits }
