package process

import (
	"fmt"
	"time"

	"github.com/leat-run/leat/runtime"
)

// death is what is known about the end of a child. REQUIRES (to make one): it is gone.
type death struct {
	exit
	kind     runtime.Kind // of a message that was being run; crash unless it can be told apart
	measured int64        // both are the limit that the system holds, where it is reached
	limit    int64
	hint     string
	log      string
}

// What the Go runtime writes as the last words of a process. A guest cannot write there.
var lastWordsOf = []struct {
	prefix string
	kind   runtime.Kind
}{
	{"fatal error: runtime: out of memory", runtime.KindMemory},
	{"fatal error: runtime: cannot allocate memory", runtime.KindMemory},
	{"fatal error: out of memory", runtime.KindMemory},
	{"runtime: out of memory", runtime.KindMemory},
	{"fatal error: runtime: cannot map pages", runtime.KindMemory},
	{"fatal error: failed to reserve", runtime.KindMemory},
	{"fatal error: newosproc", runtime.KindMemory},
	{"fatal error: stack overflow", runtime.KindStack},
	{"runtime: goroutine stack exceeds", runtime.KindStack},
	{"SIGXCPU", runtime.KindTimeout},
}

// death reads how the child ended.
func (c *child) death() death {
	d := death{exit: c.exit(), kind: runtime.KindCrash, log: c.words.all()}
	if v := c.killed.Load(); v != nil {
		d.outside = false
		return c.tooSlow(d, v.ran)
	}
	if d.cpu {
		return c.tooSlow(d, c.budget.Timeout+Grace(c.budget))
	}
	for _, w := range lastWordsOf {
		if c.words.has(w.prefix) {
			d.kind = w.kind
			break
		}
	}
	switch d.kind {
	case runtime.KindMemory:
		d.says, d.measured, d.limit = "reached its memory limit", c.ceiling, c.ceiling
		d.hint = "raise the node's budget.memory, or hold less at a time"
	case runtime.KindStack:
		d.says, d.measured, d.limit = "reached the limit of its stack", maxStack, maxStack
		d.hint = "a built-in that calls itself through the script nests too deep: make the recursion a loop"
	case runtime.KindTimeout:
		return c.tooSlow(d, c.budget.Timeout+Grace(c.budget))
	default:
		if first := c.words.first(); first != "" {
			d.says += " (" + first + ")"
		}
		d.hint = "this message ends the process that runs it: `leat dlq show` has it whole"
	}
	return d
}

func (c *child) tooSlow(d death, ran time.Duration) death {
	d.kind = runtime.KindTimeout
	d.says = fmt.Sprintf("was killed: a message ran for %v", ran.Round(time.Millisecond))
	d.hint = "raise the node's budget.timeout, or do less per message"
	d.measured, d.limit = max(ran.Milliseconds(), 1), max(c.budget.Timeout.Milliseconds(), 1)
	return d
}

// failure is what the death means for the message that was being run.
func (d *death) failure() *runtime.Failure {
	return &runtime.Failure{
		Kind: d.kind, Message: runtime.Cut("the child process "+d.says, runtime.MaxReason), Hint: d.hint,
		Measured: d.measured, Limit: d.limit, Log: d.log,
	}
}
