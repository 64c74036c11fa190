package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/pipeline"
)

// guestLog takes what the guests of one pipeline log and print. It is the author's talk and
// not leat's: from the log level info on it is shown, at the guest's own level; above, it is
// counted, and one remark at the end says where it is.
type guestLog struct {
	log *slog.Logger

	mu   sync.Mutex
	held map[string]int // lines that were not shown, by node
}

// take is engine.Options.GuestLog.
func (g *guestLog) take(node *pipeline.Transform, level, text string) {
	var at slog.Level
	if at.UnmarshalText([]byte(level)) != nil {
		at = slog.LevelInfo
	}
	ctx := context.Background()
	if g.log.Enabled(ctx, slog.LevelInfo) {
		g.log.Log(ctx, at, text, "node", node.Name)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held == nil {
		g.held = map[string]int{}
	}
	g.held[node.Name]++
}

// remark says once, after the run, how much was not shown.
func (g *guestLog) remark(c *cli.Context, s surroundings) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.held) == 0 {
		return
	}
	var parts []string
	for _, node := range slices.Sorted(maps.Keys(g.held)) {
		parts = append(parts, fmt.Sprintf("%s %s", node, count(g.held[node], "line")))
	}
	remark(c, s, "guests logged: %s (--log-level info shows them; a dead letter keeps the last of its own)", strings.Join(parts, ", "))
}
