package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// TestEveryVerbHasHelp proves that each verb says what it is for, in one line, with an example
// of itself, and that its help is printed however it is asked for.
func TestEveryVerbHasHelp(t *testing.T) {
	eachVerb(newApp(process()).Commands, nil, func(path []string, c *cli.Command) {
		name := strings.Join(path, " ")
		if c.Usage == "" || !strings.Contains(c.Description, "Example") || !strings.Contains(c.Description, "leat "+path[0]) {
			t.Errorf("%s has no use, or no example: %q, %q", name, c.Usage, c.Description)
		}
		for _, line := range [][]string{append(path, "--help"), append([]string{"help"}, path...)} {
			var out, said bytes.Buffer
			s := process()
			s.stdout, s.stderr = &out, &said
			if code := Main(line, s); code != exitCompleted || said.Len() > 0 || !strings.Contains(out.String(), c.Usage) {
				t.Errorf("leat %s: exit %d, %s%s", strings.Join(line, " "), code, out.String(), said.String())
			}
		}
	})
}

func eachVerb(commands []*cli.Command, path []string, do func([]string, *cli.Command)) {
	for _, c := range commands {
		if c.Name == "help" {
			continue
		}
		at := append(path[:len(path):len(path)], c.Name)
		do(at, c)
		eachVerb(c.Subcommands, at, do)
	}
}
