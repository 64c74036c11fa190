package main

import (
	"context"
	"flag"
	"testing"
	"testing/synctest"

	"github.com/urfave/cli/v2"
)

// gate is a writer that lets nothing through before it is opened.
type gate struct {
	opened chan struct{}
	wrote  int
}

func (g *gate) Write(p []byte) (int, error) {
	<-g.opened
	g.wrote++
	return len(p), nil
}

// TestRunJobsAwaitsWhatASignalSays proves that nothing of a run is at work once it has returned: what is
// said at a signal looks at the engines, whose stores are closed next.
func TestRunJobsAwaitsWhatASignalSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		c := cli.NewContext(cli.NewApp(), flag.NewFlagSet("run", flag.ContinueOnError), nil)
		c.Context = ctx
		out := &gate{opened: make(chan struct{})}
		returned := false
		go func() {
			runJobs(c, surroundings{stderr: out}, nil)
			returned = true
		}()
		synctest.Wait()
		if returned {
			t.Error("it returned while something was still to be said")
		}
		close(out.opened)
		synctest.Wait()
		if !returned || out.wrote != 1 {
			t.Errorf("returned %v after %d writes", returned, out.wrote)
		}
	})
}
