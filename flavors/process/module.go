package process

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/leat-run/leat/runtime"
)

// module is code that children can load. It keeps the children that no worker has.
type module struct {
	flavor   *Flavor
	budget   runtime.Budget
	frame    []byte // of the load; never written to
	digest   string
	warnings []runtime.Warning
	files    []string

	mu struct {
		sync.Mutex
		idle   []*child // at most one per worker, and the one of Compile
		closed bool
	}
}

// Digest is that of the code in the child.
func (m *module) Digest() string { return m.digest }

// Warnings are those of the code in the child.
func (m *module) Warnings() []runtime.Warning { return m.warnings }

// Files are those that the code in the child was made of, where its flavor says (runtime.Sourced).
func (m *module) Files() []string { return m.files }

// Instantiate takes a child that is ready, or starts one.
func (m *module) Instantiate(ctx context.Context, host runtime.Host) (runtime.Transform, error) {
	t := &transform{module: m, host: host}
	return t, t.ensure(ctx)
}

// Close ends the children. REQUIRES: every instance is closed. It is idempotent.
func (m *module) Close() error {
	m.mu.Lock()
	idle := m.mu.idle
	m.mu.idle, m.mu.closed = nil, true
	m.mu.Unlock()
	for _, c := range idle {
		c.close()
	}
	return nil
}

// take returns an idle child that still lives, or nil.
func (m *module) take() *child {
	m.mu.Lock()
	defer m.mu.Unlock()
	for n := len(m.mu.idle); n > 0; n = len(m.mu.idle) {
		c := m.mu.idle[n-1]
		m.mu.idle = m.mu.idle[:n-1]
		select {
		case <-c.gone: // killed while nobody needed it
			c.close()
		default:
			return c
		}
	}
	return nil
}

// put gives a child back that can take another message.
func (m *module) put(c *child) {
	m.mu.Lock()
	if !m.mu.closed {
		m.mu.idle = append(m.mu.idle, c)
		c = nil
	}
	m.mu.Unlock()
	if c != nil {
		c.close()
	}
}

// errKilledLoading is a child's that the code is not to blame for.
var errKilledLoading = errors.New("process: a child process was killed from outside while it loaded the code")

// start makes a child and loads the code into it, and where that is killed from outside, another.
// A *runtime.Failure is the code's fault.
func (m *module) start(ctx context.Context) (c *child, says loaded, err error) {
	for range outsideDeaths {
		if c, says, err = m.startOne(ctx); !errors.Is(err, errKilledLoading) {
			return c, says, err
		}
	}
	return nil, says, fmt.Errorf("%w, %d times", err, outsideDeaths)
}

func (m *module) startOne(ctx context.Context) (*child, loaded, error) {
	c, err := startChild(m.flavor.options, m.flavor.watcher, m.budget)
	if err != nil {
		return nil, loaded{}, err
	}
	says, err := c.load(ctx, m.frame)
	if err == nil && says.err == nil {
		c.ceiling = says.ceiling
		return c, says, nil
	}
	c.close()
	if err == nil {
		return nil, says, says.err
	}
	return nil, says, c.loadDeath(ctx, err)
}

// loadDeath is why a child ended before it was ready.
func (c *child) loadDeath(ctx context.Context, err error) error {
	if ctxErr := ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	if errors.Is(err, errMalformed) {
		return err
	}
	d := c.death()
	if d.outside {
		return errKilledLoading
	}
	return &runtime.Failure{
		Kind: runtime.KindCompile, Log: c.words.all(),
		Message: "the child process " + d.says + " while it loaded the code",
		Hint:    "loading runs the module's top level and its start function: look there for endless work",
	}
}
