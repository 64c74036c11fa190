package main

import (
	"flag"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/runtime"
)

// TestDryRunHoldsWhatItShows proves that a dry run of many letters holds the outputs of those alone that
// it shows; --json shows all.
func TestDryRunHoldsWhatItShows(t *testing.T) {
	for _, c := range []struct {
		args []string
		want int
	}{{nil, diffsMost + 1}, {[]string{"--json"}, 100}} {
		set := flag.NewFlagSet("replay", flag.ContinueOnError)
		set.Bool("json", false, "")
		if err := set.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		r := &rehearsal{c: cli.NewContext(cli.NewApp(), set, nil)}
		held := 0
		for range 100 {
			if r.keeps(&engine.Step{Out: []runtime.Message{{}}}) {
				held++
			}
		}
		if held != c.want {
			t.Errorf("%v: %d steps are held, want %d", c.args, held, c.want)
		}
	}
}
