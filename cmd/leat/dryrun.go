package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/endpoint"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// rehearsal is a replay without any effect: each letter's failed step is run in a sandbox,
// with the document's code or a candidate's.
type rehearsal struct {
	c         *cli.Context
	plan      *pipeline.Plan
	sandbox   *engine.Sandbox
	candidate runtime.Module // nil without --with
	at        string         // the node that the candidate stands in for; "" until a letter says
	kept      int            // steps that have outputs and are kept
	result    replayed
}

// keeps says whether a step is shown with what came out of it: for a person the first few are, and one
// that says that there are more. All others would be held for nothing.
func (r *rehearsal) keeps(step *engine.Step) bool {
	if r.c.Bool("json") {
		return true
	}
	if len(step.Out) == 0 || r.kept > diffsMost {
		return false
	}
	r.kept++
	return true
}

func dryRun(c *cli.Context, s surroundings, plan *pipeline.Plan, a *access, q *letterQuery) error {
	r := &rehearsal{c: c, plan: plan, sandbox: engine.NewSandbox(plan, endpoint.Endpoints().Codecs), result: replayed{dry: true}}
	err := q.each(c.Context, a, r.letter)
	err = errors.Join(err, r.sandbox.Close())
	if r.candidate != nil {
		err = errors.Join(err, r.candidate.Close())
	}
	if err != nil {
		return err
	}
	return report(c, s, r.result)
}

// letter runs one letter's step.
func (r *rehearsal) letter(l store.DeadLetter) error {
	if l.Quarantined && len(r.c.StringSlice("id")) == 0 {
		r.result.quarantined++
		return nil
	}
	out := replayedLetter{id: l.ID, node: l.Node, before: engine.LetterFault{Reason: l.Reason}, verdict: verdictSkipped}
	if l.Failure != nil {
		out.before.Kind = l.Failure.Kind
	}
	node := l.Node
	if at := r.c.String("at"); at != "" {
		node = at
	}
	if out.after.Reason = r.impossible(l, node); out.after.Reason == "" {
		if err := r.step(l, node, &out); err != nil {
			return err
		}
	}
	r.result.add(out)
	return nil
}

// impossible says why a dry run cannot know what would come of a letter, or "".
func (r *rehearsal) impossible(l store.DeadLetter, node string) string {
	switch {
	case l.PayloadLength != 0:
		return "only the start of its payload was kept"
	case roleOf(r.plan, node) == "":
		return "there is no such node any more: another one can be named"
	case r.c.String("with") != "" && !runsCode(r.plan, node):
		return "the node runs no code"
	case roleOf(r.plan, node) == engine.RoleSink && l.Class == store.ClassDelivery:
		return "a dry run does not write: only a replay can know"
	default:
		return ""
	}
}

func (r *rehearsal) step(l store.DeadLetter, node string, out *replayedLetter) error {
	if err := r.standIn(node); err != nil {
		return err
	}
	step, err := r.sandbox.Step(r.c.Context, node, engine.LetterMessage(l))
	if err != nil {
		return fail(exitFailed, "", err)
	}
	if step.Failure == nil {
		out.verdict, out.made = verdictFixed, stepText(&step)
		if r.keeps(&step) {
			out.step = &step
		}
		return nil
	}
	out.after = engine.LetterFault{Kind: step.Failure.Kind, Reason: runtime.Cut(step.Failure.Message, runtime.MaxReason)} // as the letter's
	if out.verdict = verdictOther; out.after == out.before {
		out.verdict = verdictSame
	}
	return nil
}

// standIn puts the candidate into the first letter's node. It stands in for one node only.
func (r *rehearsal) standIn(node string) (err error) {
	file := r.c.String("with")
	switch {
	case file == "" || r.at == node:
		return nil
	case r.at != "":
		return usagef("say which with --node", "--with stands in for one node, but letters failed at %s and %s", r.at, node)
	}
	for _, t := range r.plan.Transforms {
		if t.Name == node {
			if r.candidate, err = compileCandidate(r.c.Context, r.plan, t, file); err != nil {
				return err
			}
			r.sandbox.Replace(node, r.candidate)
			r.at = node
		}
	}
	return nil
}

// compileCandidate compiles a file as the code of a transform, with all that the document
// says about the node.
func compileCandidate(ctx context.Context, plan *pipeline.Plan, t *pipeline.Transform, file string) (runtime.Module, error) {
	if flavorOf(file) != t.Flavor {
		return nil, usagef("give a file of the same flavor (.js, .ts and the like are script, .wasm is wasm)",
			"--with %s: %s runs %s", file, t.Name, t.Flavor)
	}
	text, err := pipeline.ReadFile(file, pipeline.MaxCode)
	if err != nil {
		return nil, usagef("", "--with: %s: %v", file, err)
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	flavor := flavors()[t.Flavor]
	if t.Isolation == pipeline.IsolationProcess {
		flavor = isolated(flavors())[t.Flavor]
	}
	module, err := flavor.Compile(ctx, runtime.Code{
		Name: file, Path: path, Dir: plan.Dir, Bytes: text, Function: t.Code.Function,
	}, t.Settings)
	var failure *runtime.Failure
	if errors.As(err, &failure) {
		return nil, fail(exitInvalid, failure.Hint, fmt.Errorf("--with: %s\n%s", failure.Error(), failure.Excerpt))
	}
	return module, err
}

// flavorOf is the flavor that a file's name tells of.
func flavorOf(file string) string {
	if strings.EqualFold(filepath.Ext(file), ".wasm") {
		return "wasm"
	}
	return "script"
}

// runsCode says whether a node is a transform that is no split.
func runsCode(plan *pipeline.Plan, node string) bool {
	return slices.ContainsFunc(plan.Transforms, func(t *pipeline.Transform) bool { return t.Name == node && t.Module != nil })
}

// roleOf is a node's role in the plan, "" if there is no such node.
func roleOf(plan *pipeline.Plan, node string) engine.Role {
	for _, n := range plan.Sources {
		if n.Name == node {
			return engine.RoleSource
		}
	}
	for _, n := range plan.Transforms {
		if n.Name == node {
			return engine.RoleTransform
		}
	}
	for _, n := range plan.Sinks {
		if n.Name == node {
			return engine.RoleSink
		}
	}
	return ""
}
