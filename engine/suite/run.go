package suite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/store"
)

// Options of Run. Load and Codecs are required.
type Options struct {
	// Load is how the pipeline is loaded; the suite's state, parameters and env go on top.
	Load   pipeline.LoadOptions
	Codecs map[string]engine.Codec
	// Keep selects the cases by name; nil keeps all.
	Keep func(name string) bool
	// Update writes the snapshots instead of comparing with them.
	Update bool
}

// Result is what became of one suite.
type Result struct {
	Suite, File string
	// Diagnostics are what is wrong with the suite or its pipeline. With an error among
	// them no case ran.
	Diagnostics []document.Diagnostic
	Cases       []CaseResult
	// Written and Removed are the snapshot files that Update changed.
	Written, Removed []string
}

// CaseResult is what became of one case.
type CaseResult struct {
	Name string
	Line int
	// Diff says how it differs from what was expected; "" is a pass.
	Diff string
	// Log is what guests logged and the engine warned of, by lines; cut beyond maxLog.
	Log      string
	Duration time.Duration
	// Fuel is the most that a message spent, by transform.
	Fuel map[string]int64
}

// Failed returns the cases that failed.
func (r *Result) Failed() (out []CaseResult) {
	for _, c := range r.Cases {
		if c.Diff != "" {
			out = append(out, c)
		}
	}
	return out
}

// Invalid says that the suite or its pipeline could not be loaded.
func (r *Result) Invalid() bool {
	return slices.ContainsFunc(r.Diagnostics, func(d document.Diagnostic) bool { return d.Severity == document.SeverityError })
}

// runner runs the cases of one suite against its pipeline.
type runner struct {
	suite  *Suite
	opt    Options
	plan   *pipeline.Plan
	stage  *pipeline.Stage // in place of plan
	result *Result
}

// Run runs the suite. The error is the world's (a snapshot that cannot be written, ctx's end);
// everything about the suite and the pipeline is in the Result.
func (s *Suite) Run(ctx context.Context, opt Options) (result Result, err error) {
	result = Result{Suite: s.Name, File: s.File}
	if s.OfStage {
		return s.runStage(ctx, opt)
	}
	plan, diagnostics := pipeline.Load(ctx, s.Pipeline, s.loadOptions(opt.Load))
	if plan == nil {
		result.Diagnostics = diagnostics
		return result, nil
	}
	defer func() { err = errors.Join(err, plan.Close()) }()
	r := &runner{suite: s, opt: opt, plan: plan, result: &result}
	injections := r.bind()
	if result.Diagnostics = s.report.Sorted(); result.Invalid() {
		return result, nil
	}
	for i, c := range s.Cases {
		if opt.Keep != nil && !opt.Keep(c.Name) {
			continue
		}
		one, err := r.run(ctx, c, injections[i])
		if err != nil {
			return result, fmt.Errorf("suite: case %s: %w", c.Name, err)
		}
		result.Cases = append(result.Cases, one)
	}
	if opt.Update && opt.Keep == nil {
		return result, r.removeStale()
	}
	return result, nil
}

// loadOptions are the caller's with what the suite says.
func (s *Suite) loadOptions(opt pipeline.LoadOptions) pipeline.LoadOptions {
	env := opt.Env
	opt.Fresh, opt.Parameters = s.Fresh, s.Parameters
	opt.Env = func(name string) (string, bool) {
		if value, ok := s.Env[name]; ok {
			return value, true
		}
		if env == nil {
			return "", false
		}
		return env(name)
	}
	return opt
}

// bind checks every case against the pipeline and reads its samples.
func (r *runner) bind() [][]engine.Injection {
	all := make([][]engine.Injection, len(r.suite.Cases))
	for i, c := range r.suite.Cases {
		all[i] = r.suite.messages(c, r.plan)
		r.suite.bind(c, r.plan)
	}
	return all
}

// observed is what a case's run showed.
type observed struct {
	outcome  engine.Outcome
	recorder *recorder
	letters  []store.DeadLetter
	log      caseLog
}

func (r *runner) run(ctx context.Context, c *Case, injections []engine.Injection) (CaseResult, error) {
	started := time.Now()
	o, err := r.observe(ctx, c, injections)
	if err != nil {
		return CaseResult{}, err
	}
	diff, err := r.compare(c, o)
	result := CaseResult{Name: c.Name, Line: c.Line, Diff: diff, Log: o.log.text(), Duration: time.Since(started), Fuel: map[string]int64{}}
	for node, most := range o.recorder.fuel {
		result.Fuel[node] = most.fuel
	}
	return result, err
}

// observe runs the injections through the engine.
func (r *runner) observe(parent context.Context, c *Case, injections []engine.Injection) (*observed, error) {
	st, err := store.Open("", store.Options{Ephemeral: true})
	if err != nil {
		return nil, err
	}
	o := &observed{recorder: newRecorder(injections, c.refuse)}
	ctx, cancel := context.WithTimeout(parent, r.suite.Timeout)
	defer cancel()
	plan := o.recorder.plan(r.plan)
	ids := counter{}
	e, err := engine.New(engine.Options{
		Plan: plan, Store: st, Log: o.log.logger(), GuestLog: o.log.guest,
		Endpoints: engine.Endpoints{Sources: sources(plan), Sinks: o.recorder.sinks(plan), Codecs: r.opt.Codecs},
		Now:       func() time.Time { return r.suite.Now }, NewID: ids.next, RunID: "suite",
		BackoffBase: time.Millisecond, BackoffCap: time.Millisecond, LetterBackoff: time.Millisecond,
		Feed: func(ctx context.Context, e *engine.Engine) error {
			for _, in := range injections {
				if _, err := e.Inject(ctx, in); err != nil {
					return err
				}
			}
			return nil
		},
	})
	if err == nil {
		o.outcome = e.Run(ctx)
		err = st.Letters(func(l store.DeadLetter) error { o.letters = append(o.letters, l); return nil })
	}
	slices.SortStableFunc(o.letters, func(a, b store.DeadLetter) int {
		return cmp.Or(cmp.Compare(a.SpoolSeq, b.SpoolSeq), cmp.Compare(a.Node, b.Node), cmp.Compare(a.ID, b.ID))
	})
	return o, errors.Join(err, st.Close(), parent.Err())
}

// counter makes ids that are the same in every run.
type counter struct{ n atomic.Int64 }

func (c *counter) next() string { return fmt.Sprintf("id-%06d", c.n.Add(1)) }
