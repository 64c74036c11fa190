package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/store"
)

// codes knows the digests of a document's code as it stands now, by transform. The document
// is loaded when the first letter asks, and a document that does not verify is no error: the
// letters are looked at while the code is being mended.
type codes struct {
	load    func() map[string]string
	digests map[string]string // nil: not loaded yet
}

func newCodes(c *cli.Context, s surroundings) *codes {
	return &codes{load: func() map[string]string {
		digests := map[string]string{}
		options, err := loadOptions(c, s)
		if err != nil {
			return digests
		}
		plan, _ := pipeline.Load(c.Context, c.Args().First(), options)
		if plan == nil {
			return digests
		}
		for _, t := range plan.Transforms {
			if t.Module != nil {
				digests[t.Name] = t.Module.Digest()
			}
		}
		_ = plan.Close() // it was only looked at
		return digests
	}}
}

// since says whether a letter's code has changed since it failed; "" where it had none.
func (k *codes) since(l store.DeadLetter) string {
	if l.CodeDigest == "" || !strings.HasPrefix(l.CodeDigest, "sha256:") {
		return ""
	}
	if k.digests == nil {
		k.digests = k.load()
	}
	switch now := k.digests[l.Node]; now {
	case "":
		return "cannot be compared: the document does not verify, or has no such node"
	case l.CodeDigest:
		return "has not changed since"
	default:
		return "has changed since, it is now " + now
	}
}

// replayLine is the command that replays a letter.
func replayLine(c *cli.Context, l store.DeadLetter) string {
	line := fmt.Sprintf("leat replay %s --id %s", quoted(c.Args().First()), l.ID)
	if c.IsSet("data-dir") {
		line += " --data-dir " + quoted(c.String("data-dir"))
	}
	if l.PayloadLength != 0 {
		return "not possible: only the start of its payload was kept"
	}
	return line + " --dry-run    (without --dry-run, and with --delete, it is done and the letter gone)"
}

// quoted is an argument as a shell wants it.
func quoted(text string) string {
	if text != "" && !strings.ContainsAny(text, " \t\n'\"\\$`*?[]{}()<>|&;!#~") {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
