package main

import (
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// TestReorder proves that flags mean the same before and after the verb and its
// arguments, and that -- ends them.
func TestReorder(t *testing.T) {
	commands := []*cli.Command{
		{Name: "run", Flags: []cli.Flag{&cli.BoolFlag{Name: "json"}, &cli.StringFlag{Name: "data-dir", Aliases: []string{"d"}}}},
		{Name: "dlq", Subcommands: []*cli.Command{
			{Name: "list", Flags: []cli.Flag{&cli.BoolFlag{Name: "json"}, &cli.StringFlag{Name: "node"}}},
		}},
	}
	for _, c := range []struct{ in, want string }{
		{"run a.yaml --json", "run --json -- a.yaml"},
		{"--json run a.yaml", "run --json -- a.yaml"},
		{"run a.yaml --data-dir x b.yaml", "run --data-dir x -- a.yaml b.yaml"},
		{"run a.yaml -d x", "run -d x -- a.yaml"},
		{"--data-dir x run a.yaml", "run --data-dir x -- a.yaml"},
		{"run --data-dir=x a.yaml", "run --data-dir=x -- a.yaml"},
		{"dlq list f --node n", "dlq list --node n -- f"},
		{"dlq --node n list f", "dlq list --node n -- f"},
		{"run -- --json", "run -- --json"},
		{"run run", "run -- run"},
		{"run a.yaml --bogus", "run --bogus -- a.yaml"},
		{"dlq list - --json", "dlq list --json -- -"},
		{"run --help a.yaml", "run --help"},
		{"dlq list -h --node", "dlq list --help"},
		{"run -- --help", "run -- --help"},
		{"run a.yaml --json --data-dir", "run --json --data-dir"},
		{"", ""},
	} {
		got := strings.Join(reorder(commands, strings.Fields(c.in)), " ")
		if got != c.want {
			t.Errorf("reorder(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}
