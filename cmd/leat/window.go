package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/runtime"
)

// checkSpool refuses a --spool that is no window, or that stands beside what is about letters.
func checkSpool(c *cli.Context, q *letterQuery) error {
	if !c.IsSet("spool") {
		return nil
	}
	if q.any() || dry(c) || c.Bool("delete") {
		return usagef("give one or the other", "--spool replays rows, and the filters, --dry-run, --with and --delete are about dead letters")
	}
	if w := windowOf(c); w.From < 1 || w.To < w.From {
		return usagef("write FROM:TO, such as 1200:1299; `leat status` shows the checkpoint", "--spool %q is no window of rows", c.String("spool"))
	}
	return nil
}

// windowOf is the window that --spool names; a zero one where it names none.
func windowOf(c *cli.Context) (w engine.Window) {
	from, to, _ := strings.Cut(c.String("spool"), ":")
	first, badFirst := strconv.ParseUint(from, 10, 64)
	last, badLast := strconv.ParseUint(to, 10, 64)
	if badFirst != nil || badLast != nil {
		return w
	}
	return engine.Window{From: runtime.Seq(first), To: runtime.Seq(last)}
}

// windowFailure makes a window that the spool does not have a usage error.
func windowFailure(err error) error {
	if errors.Is(err, engine.ErrWindow) {
		return usagef("storage.spool_retention says how many committed rows are kept", "--spool: %v", err)
	}
	return err
}
