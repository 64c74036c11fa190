package main

import (
	"context"
	"errors"
	"log/slog"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/pipeline"
)

// openDocuments loads all documents before it opens any store, so that a mistake in the last
// one leaves all data alone.
func openDocuments(c *cli.Context, s surroundings, names []string, log *slog.Logger) (*documents, error) {
	d := &documents{}
	options, err := loadOptions(c, s)
	if err != nil {
		return d, err
	}
	if err := d.loadAll(c, s, names, options, log); err != nil {
		return d, err
	}
	if err := d.distinct(); err != nil {
		return d, err
	}
	for _, j := range d.jobs {
		if err := oneOutput(c, j.plan); err != nil {
			return d, err
		}
	}
	if shared := d.sharedFiles(); len(shared) > 0 {
		printDiagnostics(s.stderr, shared)
		return d, ended(exitInvalid)
	}
	if err := d.share(); err != nil {
		return d, err
	}
	return d, d.open(c, s, log)
}

// loadAll loads each document. Where one is invalid nothing runs, and --json has an object for each.
func (d *documents) loadAll(c *cli.Context, s surroundings, names []string, options pipeline.LoadOptions, log *slog.Logger) error {
	diagnostics, statuses := make([][]pipeline.Diagnostic, len(names)), make([]string, len(names))
	valid := true
	for at, name := range names {
		var ok bool
		diagnostics[at], ok = d.load(c.Context, at, name, options, log)
		if !ok || !c.Bool("quiet") {
			printDiagnostics(s.stderr, diagnostics[at])
		}
		if statuses[at] = statusSkipped; !ok {
			statuses[at], valid = statusInvalid, false
		}
	}
	if valid {
		return nil
	}
	for at, name := range names {
		if !c.Bool("json") {
			break
		}
		if err := unrun(c, s, name, statuses[at], diagnostics[at]); err != nil {
			return err
		}
	}
	return ended(exitInvalid)
}

// load reads one document of either kind.
func (d *documents) load(ctx context.Context, at int, name string, options pipeline.LoadOptions, log *slog.Logger) ([]pipeline.Diagnostic, bool) {
	if isStage(name) {
		plan, diagnostics := pipeline.LoadStage(ctx, name, options)
		if plan != nil {
			d.stages = append(d.stages, &stageJob{plan: plan, at: at, log: log.With("stage", plan.Name)})
		}
		return diagnostics, plan != nil
	}
	plan, diagnostics := pipeline.Load(ctx, name, options)
	if plan != nil {
		log := log.With("pipeline", plan.Name)
		d.jobs = append(d.jobs, &job{plan: plan, at: at, log: log, guests: &guestLog{log: log}})
	}
	return diagnostics, plan != nil
}

// distinct: a name names a store, or the state of a stage.
func (d *documents) distinct() error {
	seen := map[string]string{}
	check := func(kind, name, file string) error {
		if other, ok := seen[kind+name]; ok {
			return usagef("give each its own metadata.name", "%s and %s are both named %q", other, file, name)
		}
		seen[kind+name] = file
		return nil
	}
	var err error
	for _, j := range d.jobs {
		err = errors.Join(err, check("pipeline ", j.plan.Name, j.plan.File))
	}
	for _, j := range d.stages {
		err = errors.Join(err, check("stage ", j.plan.Name, j.plan.File))
	}
	return err
}

// sharedFiles finds sinks of different documents that would write one file.
func (d *documents) sharedFiles() []pipeline.Diagnostic {
	plans := make([]*pipeline.Plan, len(d.jobs))
	for i, j := range d.jobs {
		plans[i] = j.plan
	}
	return pipeline.SharedFiles(plans)
}

// oneOutput keeps standard output to the objects of --json.
func oneOutput(c *cli.Context, plan *pipeline.Plan) error {
	for _, sink := range plan.Sinks {
		if c.Bool("json") && sink.Plugin == "stdout" {
			return usagef("write the rows to a file, or leave --json out: how it ended is then said on standard error",
				"the sink %s of %s writes to standard output, which --json has for itself", sink.Name, plan.Name)
		}
	}
	return nil
}
