package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/endpoint"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

const (
	killDir   = "LEAT_KILL_DIR"  // set in a child: where it works
	killWork  = "LEAT_KILL_WORK" // endless: until it is killed; final: to the end of all work
	killReady = "the child works"
	// killRetention keeps what the engine looks back at after a crash.
	killRetention = 1000
)

// What becomes of a message in the guest.
type fate int

const (
	killPasses   fate = iota
	killFixed         // fails, until its second replay
	killHopeless      // fails always
)

func killFate(id int) fate {
	switch {
	case id%1000 == 500:
		return killHopeless
	case id%200 == 50:
		return killFixed
	}
	return killPasses
}

func killID(payload []byte) (int, error) {
	var v struct{ ID int }
	err := json.Unmarshal(payload, &v)
	return v.ID, err
}

// killGuest is a module, and its own only instance.
type killGuest struct{}

func (killGuest) Digest() string              { return "kill" }
func (killGuest) Warnings() []runtime.Warning { return nil }
func (killGuest) Spent() runtime.Recycle      { return runtime.RecycleNone }
func (killGuest) Close() error                { return nil }
func (g killGuest) Instantiate(context.Context, runtime.Host) (runtime.Transform, error) {
	return g, nil
}

func (killGuest) Apply(_ context.Context, m runtime.Message) (runtime.Result, error) {
	id, err := killID(m.Payload)
	replays, _ := strconv.Atoi(m.Meta[runtime.MetaReplayCount])
	if f := killFate(id); err != nil || f == killHopeless || f == killFixed && replays < 2 {
		return runtime.Result{}, &runtime.Failure{Kind: runtime.KindGuest, Deterministic: true, Message: "not this one"}
	}
	return runtime.Result{Out: []runtime.Message{m}}, nil
}

// TestKillChild is the child's body; it does nothing in an ordinary run.
func TestKillChild(t *testing.T) {
	dir := os.Getenv(killDir)
	if dir == "" {
		t.Skip("only in a child process")
	}
	st, err := store.Open(filepath.Join(dir, "data"), store.Options{MinFreeBytes: -1, Retention: killRetention})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	c := &killChild{t: t, dir: dir, store: st}
	if os.Getenv(killWork) == "final" {
		c.final()
		return
	}
	c.endless()
}

type killChild struct {
	t     *testing.T
	dir   string
	store *store.Store
}

// endless runs, drains at a random moment and runs again, while letters are replayed and
// rows trimmed, until it is killed.
func (c *killChild) endless() {
	var beside sync.WaitGroup
	beside.Go(c.trim)
	defer beside.Wait()
	for {
		e := c.engine(nil)
		ctx, stop := context.WithCancel(c.t.Context())
		beside.Go(func() { c.replay(ctx, e) })
		timer := time.AfterFunc(time.Duration(rand.IntN(100))*time.Millisecond, e.Drain)
		fmt.Println(killReady)
		c.run(e)
		timer.Stop()
		stop()
	}
}

// final runs to the end of the input, and replays what can succeed until nothing is left
// that a filter would pick.
func (c *killChild) final() {
	c.run(c.engine(nil))
	c.run(c.engine(func(ctx context.Context, e *engine.Engine) error {
		for {
			if r, err := e.Replay(ctx, engine.ReplayRequest{Delete: true}); err != nil || r.Selected == 0 {
				return err
			}
		}
	}))
}

func (c *killChild) engine(feed func(context.Context, *engine.Engine) error) *engine.Engine {
	plan, diagnostics := pipeline.Load(c.t.Context(), filepath.Join(c.dir, "kill.yaml"), pipeline.LoadOptions{
		Catalog: pipeline.Catalog{Sources: endpoint.Sources(), Sinks: endpoint.Sinks(), Codecs: []string{"json", "raw"}},
	})
	if plan == nil {
		c.t.Fatalf("%+v", diagnostics)
	}
	plan.Transforms[0].Flavor, plan.Transforms[0].Module = "test", killGuest{}
	e, err := engine.New(engine.Options{Plan: plan, Store: c.store, Endpoints: endpoint.Endpoints(), Feed: feed})
	if err != nil {
		c.t.Fatal(err)
	}
	return e
}

// run runs to the end, by itself or by a drain, and checks the books of the whole store.
func (c *killChild) run(e *engine.Engine) {
	o := e.Run(c.t.Context())
	if err := o.Total.Check(); err != nil || o.Outstanding != 0 || o.Status == engine.StatusFailed {
		c.t.Fatalf("%v: %+v", err, o)
	}
}

// replay replays what letters there are, again and again, until the run is over.
func (c *killChild) replay(ctx context.Context, e *engine.Engine) {
	for ctx.Err() == nil {
		_, err := e.Replay(ctx, engine.ReplayRequest{Delete: true})
		if err != nil && ctx.Err() == nil && !errors.Is(err, context.Canceled) && !errors.Is(err, store.ErrNotFound) {
			c.t.Errorf("replay: %v", err)
			return
		}
		<-time.After(time.Millisecond)
	}
}

// trim gives up committed rows as soon as they are not looked back at any more.
func (c *killChild) trim() {
	for {
		checkpoint, err := c.store.Checkpoint()
		if err == nil && checkpoint.Through > killRetention {
			err = c.store.Trim(checkpoint.Through - killRetention)
		}
		if err != nil {
			c.t.Errorf("trim: %v", err)
			return
		}
		<-time.After(time.Millisecond)
	}
}
