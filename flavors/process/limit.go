package process

import (
	"time"

	"github.com/leat-run/leat/runtime"
)

// Bounds of a child while it loads code, when the node's budget says nothing about it.
const (
	loadMemory = 4 << 30
	loadTime   = time.Minute
	loadCPU    = 4 * loadTime // several threads compile
)

const (
	// maxStack bounds the Go stack of a native call, in bytes.
	maxStack = 64 << 20
	// slackMemory is for the threads and structures of the child's own runtime.
	slackMemory = 64 << 20
	// maxExtra is how much longer than its payload a message may be: key and meta.
	maxExtra = 16 << 20
	// outsideDeaths is how often the same message, or the load of the code, may meet a death that
	// nobody explains.
	outsideDeaths = 3
	// wordsKept is how much is kept of what a child's runtime says before it dies.
	wordsKept = 8 << 10
)

// Room returns how many bytes of private memory a child may take above what it has when it
// is ready.
func Room(b runtime.Budget) int64 { return 2*b.Memory + 2*(b.Input+b.Output) + slackMemory }

// Grace returns how long past its timeout a message may run before its child is killed: time
// for the flavor to end it in its own words.
func Grace(b runtime.Budget) time.Duration { return max(b.Timeout/2, 50*time.Millisecond) }

// maxAnswer bounds an answer's frame.
func maxAnswer(b runtime.Budget) int64 {
	return min(2*b.Output+4<<10*int64(b.Outputs)+b.Log+b.Input+maxExtra, maxMessage)
}
