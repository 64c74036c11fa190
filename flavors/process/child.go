package process

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/leat-run/leat/runtime"
)

// child is the parent's end of one child process. It belongs to one goroutine at a time, but
// for what the watcher reads.
type child struct {
	budget  runtime.Budget
	watcher *watcher
	in      io.WriteCloser
	outFile *os.File
	out     *bufio.Reader
	room    int   // bytes that fit into the pipe to the child, in whatever parts
	ceiling int64 // bytes of private memory that it limited itself to; 0 for none
	page    page
	kill    func()
	sent    uint64 // messages so far
	buf     []byte
	words   lastWords

	gone   chan struct{} // closed when the process ended; then status is set
	status status

	call   atomic.Pointer[call] // what the watcher looks after; nil between calls
	killed atomic.Pointer[verdict]

	watch struct { // the watcher's own
		running uint64
		call    *call
		since   time.Time
	}
}

// call is one exchange with a child.
type call struct{ ctx context.Context }

// verdict is why the watcher killed a child.
type verdict struct {
	ended   error  // the call's context ended
	running uint64 // what the page said
	ran     time.Duration
}

// late says that the watcher's kill was meant for another message than the one that was being
// run when it arrived, or for a call that is over.
func (c *child) late(running uint64) bool {
	v := c.killed.Load()
	return v != nil && (v.ended != nil || v.running != running)
}

// exit is how a process ended.
type exit struct {
	says    string
	outside bool // by a signal that others send
	cpu     bool // by the limit of CPU time
}

// begin puts the child under watch for a call; end takes it out.
func (c *child) begin(ctx context.Context) {
	c.call.Store(&call{ctx})
	c.watcher.begin()
}

func (c *child) end() {
	c.call.Store(nil)
	c.watcher.end()
}

// load hands the code over and waits until the child is ready.
func (c *child) load(ctx context.Context, frame []byte) (loaded, error) {
	c.begin(ctx)
	defer c.end()
	if _, err := c.in.Write(frame); err != nil {
		return loaded{}, err
	}
	body, err := readFrame(c.out, frameLoaded, maxLoaded)
	if err != nil {
		return loaded{}, err
	}
	return readLoaded(body)
}

const (
	// A part is what the child begins with while the parent encodes the next one.
	partMessages = 16
	partBytes    = 4 << 10 // no less: a part may leave most of a page of the pipe unused
)

// send writes as many of the messages as certainly fit into the pipe, or the first one alone:
// the child reads a message whole before it answers, so that neither side waits for the
// other while it writes. n counts those that the child may have begun, also after an error.
func (c *child) send(in []runtime.Message, todo []int) (n int, err error) {
	c.buf = c.buf[:0]
	written, waiting := 0, 0 // bytes of buf that are out, messages that are not
	for _, i := range todo {
		if !c.add(&in[i]) {
			break
		}
		n++
		if waiting++; waiting >= partMessages && len(c.buf)-written >= partBytes {
			if _, err = c.in.Write(c.buf[written:]); err != nil {
				break
			}
			written, waiting = len(c.buf), 0
		}
	}
	c.sent += uint64(n)
	if waiting > 0 && err == nil {
		_, err = c.in.Write(c.buf[written:])
	}
	if cap(c.buf) > 1<<20 {
		c.buf = nil
	}
	return n, err
}

// add appends a message to buf, unless the pipe may have no room for it.
func (c *child) add(m *runtime.Message) bool {
	before := len(c.buf)
	if before > 0 && before+len(m.Payload) > c.room {
		return false
	}
	if c.buf = appendMessageFrame(c.buf, m); before > 0 && len(c.buf) > c.room {
		c.buf = c.buf[:before]
		return false
	}
	return true
}

func appendMessageFrame(b []byte, m *runtime.Message) []byte {
	b, at := beginFrame(b, frameMessage)
	return endFrame(appendMessage(b, m), at)
}

// receive reads the answer to one message into a, which is zero.
func (c *child) receive(in *runtime.Message, outs *outputs, a *runtime.Answer) ([]logged, error) {
	body, lent, err := borrowFrame(c.out, frameAnswer, maxAnswer(c.budget))
	if err != nil {
		return nil, err
	}
	return readAnswer(reader{rest: body, lent: lent}, in, outs, a)
}

// close ends the process and waits for it. It is idempotent.
func (c *child) close() {
	c.kill()
	<-c.gone
	c.watcher.remove(c)
	c.release()
}

// release closes what open made.
func (c *child) release() {
	if c.in != nil {
		_ = c.in.Close() // nobody reads it any more
	}
	if c.outFile != nil {
		_ = c.outFile.Close() // nobody writes it any more
	}
	if c.page.release != nil {
		c.page.release()
		c.page.release = nil
	}
}

// lastWords keeps the first bytes of what a process writes to standard error. Nothing of the
// guest's comes there: it is the child's own runtime that speaks, before it dies.
type lastWords struct {
	mu   sync.Mutex
	text []byte
}

func (w *lastWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if left := wordsKept - len(w.text); left > 0 {
		w.text = append(w.text, p[:min(left, len(p))]...)
	}
	return len(p), nil
}

func (w *lastWords) say(text string) { _, _ = w.Write([]byte(text)) } // never fails

// has says that a line begins so.
func (w *lastWords) has(prefix string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return bytes.HasPrefix(w.text, []byte(prefix)) || bytes.Contains(w.text, []byte("\n"+prefix))
}

func (w *lastWords) all() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return runtime.Cut(string(bytes.TrimSpace(w.text)), runtime.MaxReason)
}

// first returns the first line, for a message.
func (w *lastWords) first() string {
	line, _, _ := bytes.Cut([]byte(w.all()), []byte("\n"))
	return runtime.Cut(string(line), 400)
}
