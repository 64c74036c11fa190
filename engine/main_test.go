package engine

import (
	"bytes"
	"fmt"
	"os"
	goruntime "runtime"
	"testing"
	"time"
)

// TestMain fails if a goroutine of this package outlives the tests. It looks at the
// stacks itself: a store whose disk failed is abandoned with its goroutines by design
// (store, the gate), which a general leak check cannot tell from a leak.
func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if left := leftBehind(); left != "" {
			fmt.Fprintf(os.Stderr, "goroutines of the engine are left behind:\n%s\n", left)
			code = 1
		}
	}
	os.Exit(code)
}

// leftBehind returns the stacks that run this package's code, after giving them a
// moment to end.
func leftBehind() (left string) {
	for range 20 {
		if left = engineStacks(); left == "" {
			return ""
		}
		<-time.After(50 * time.Millisecond)
	}
	return left
}

func engineStacks() string {
	buf := make([]byte, 4<<20)
	stacks := bytes.Split(buf[:goruntime.Stack(buf, true)], []byte("\n\n"))
	var left []byte
	for _, s := range stacks[1:] { // the first is this goroutine
		if bytes.Contains(s, []byte("leat/engine.(")) {
			left = append(append(left, s...), "\n\n"...)
		}
	}
	return string(left)
}

// yield lets other goroutines run.
func yield() { goruntime.Gosched() }
