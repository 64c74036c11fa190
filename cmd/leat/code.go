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
		file := c.Args().First()
		if isStage(file) {
			if stage, _ := pipeline.LoadStage(c.Context, file, options); stage != nil {
				digests[string(stage.Entry)] = stage.Module.Digest()
				_ = stage.Close() // it was only looked at
			}
			return digests
		}
		if plan, _ := pipeline.Load(c.Context, file, options); plan != nil {
			addDigests(digests, plan)
			_ = plan.Close() // likewise
		}
		return digests
	}}
}

func addDigests(digests map[string]string, plan *pipeline.Plan) {
	for _, t := range plan.Transforms {
		if t.Module != nil {
			digests[t.Name] = t.Module.Digest()
		}
	}
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

// nextLines are the commands that go on from a letter.
func nextLines(c *cli.Context, a *access, l store.DeadLetter) (lines []string) {
	rest := ""
	if c.IsSet("data-dir") {
		rest = " --data-dir " + quoted(c.String("data-dir"))
	}
	file := quoted(c.Args().First())
	if l.PayloadLength != 0 {
		if !a.retains(c.Context, l) {
			return []string{"replay it: not possible: only the start of its payload was kept"}
		}
		return []string{
			fmt.Sprintf("replay it: leat replay %s --spool %d:%d%s", file, l.SpoolSeq, l.SpoolSeq, rest),
			"           this letter has the start of the payload only, the spool still has the whole row: it goes",
			"           through the pipeline again from where it entered, and the letter stays until it is purged",
		}
	}
	if l.Class == store.ClassTransform {
		lines = append(lines, fmt.Sprintf("try it:    leat try %s --letter %s%s", file, l.ID, rest))
	}
	if a.only {
		return append(lines,
			fmt.Sprintf("replay it: leat replay %s --id %s%s", file, l.ID, rest),
			"           the letter goes in the step that succeeds")
	}
	return append(lines,
		fmt.Sprintf("replay it: leat replay %s --id %s%s --dry-run", file, l.ID, rest),
		"           without --dry-run it is done; with --delete the letter goes once it is")
}

// quoted is an argument as a shell wants it.
func quoted(text string) string {
	if text != "" && !strings.ContainsAny(text, " \t\n'\"\\$`*?[]{}()<>|&;!#~") {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
