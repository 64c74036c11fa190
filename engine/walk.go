package engine

import (
	"context"

	"github.com/leat-run/leat/runtime"
)

// Visit is a message's stop at a node on its walk through the plan, with what each edge
// that leaves the node says to what came out.
type Visit struct {
	Step
	Edges []Verdict
}

// Verdict is what an edge says to one output.
type Verdict struct {
	To     string
	When   string // "" passes everything
	Output int    // the index in Step.Out
	Passes bool
	Err    error // the condition could not be evaluated: the output does not pass
}

// maxVisits bounds a walk: a message may become thousands.
const maxVisits = 1000

// Walk brings a message out of a source and through the plan, breadth first, and returns
// every stop on its way. cut says that there would have been more.
func (s *Sandbox) Walk(ctx context.Context, source string, m runtime.Message) (visits []Visit, cut bool, err error) {
	type stop struct {
		node string
		msg  runtime.Message
	}
	for queue := []stop{{source, m}}; len(queue) > 0; queue = queue[1:] {
		if len(visits) == maxVisits {
			return visits, true, nil
		}
		step, err := s.Step(ctx, queue[0].node, queue[0].msg)
		if err != nil {
			return visits, false, err
		}
		v := Visit{Step: step, Edges: s.verdicts(&step)}
		for _, e := range v.Edges {
			if e.Passes && len(queue) <= maxVisits {
				queue = append(queue, stop{e.To, step.Out[e.Output]})
			}
		}
		visits = append(visits, v)
	}
	return visits, false, nil
}

// verdicts asks every edge that leaves the node about every output, as the engine does.
func (s *Sandbox) verdicts(step *Step) (out []Verdict) {
	for i := range step.Out {
		view := s.view(step.Out[i])
		for _, e := range s.plan.Edges {
			if e.From != step.Node {
				continue
			}
			v := Verdict{To: e.To, Output: i, Passes: true}
			if e.When != nil {
				v.When = e.When.Text
				v.Passes, v.Err = e.When.Match(view)
			}
			out = append(out, v)
		}
	}
	return out
}
