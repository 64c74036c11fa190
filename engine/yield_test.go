package engine

import goruntime "runtime"

// yield lets other goroutines run.
func yield() { goruntime.Gosched() }
