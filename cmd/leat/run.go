package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/cmd/leat/console"
	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/control"
	"github.com/leat-run/leat/engine/endpoint"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/suite"
	"github.com/leat-run/leat/engine/tune"
	"github.com/leat-run/leat/store"
)

func runCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:      "run",
		Usage:     "run pipelines in the foreground",
		ArgsUsage: "FILE|DIR...",
		Description: "Runs each document until its sources are exhausted (batch) or a signal comes (continuous). What was not\n" +
			"committed replays on the next run. A directory stands for the .yaml files in it.\n\n" +
			"Example:\n   leat run orders.yaml --json",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "ephemeral", Usage: "keep the store in memory: nothing outlives the run"},
			&cli.StringFlag{Name: "durability", Value: "fsync", Usage: "fsync, or os: survives a killed process but not a lost machine"},
			httpFlag(), paramFlag(),
		},
		Action: func(c *cli.Context) error {
			names, err := files(c, "document")
			if err != nil {
				return err
			}
			return run(c, s, names)
		},
	})
}

// job is one document on its way through a run.
type job struct {
	plan    *pipeline.Plan
	store   *store.Store
	engine  *engine.Engine
	control *control.Server // nil where nothing outlives the run, or no socket can be made
	log     *slog.Logger
	guests  *guestLog
	// recorder is the engine's observer; nil without --http.
	recorder *console.Recorder
	blocked  atomic.Value // string: why it was blocked when a signal came

	evidence *tune.Evidence // of what the guests need
}

func run(c *cli.Context, s surroundings, names []string) error {
	names, err := expand(names)
	if err != nil {
		return err
	}
	log, err := newLog(c, s)
	if err != nil {
		return err
	}
	if err := checkHTTP(c, s); err != nil {
		return err
	}
	jobs, err := openJobs(c, s, names, log)
	defer closeJobs(jobs)
	if err != nil {
		return err
	}
	stop, err := serveConsole(c, s, jobs, log)
	if err != nil {
		return err
	}
	defer stop()
	code := exitCompleted
	for i, outcome := range runJobs(c, s, jobs) {
		jobs[i].guests.remark(c, s)
		if err := settle(c, s, jobs[i], outcome); err != nil {
			return err
		}
		code = worse(code, exitOf(outcome))
	}
	return ended(code)
}

// expand replaces directories by the documents in them, sorted.
func expand(names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || !info.IsDir() {
			out = append(out, name) // a file that is not there is a diagnostic of its document
			continue
		}
		var found []string
		for _, pattern := range []string{"*.yaml", "*.yml"} {
			matches, err := filepath.Glob(filepath.Join(name, pattern))
			if err != nil {
				return nil, usagef("", "%s: %v", name, err)
			}
			found = append(found, matches...)
		}
		found = slices.DeleteFunc(found, func(name string) bool { return strings.HasSuffix(name, suite.Extension) })
		if len(found) == 0 {
			return nil, usagef("name a document", "%s holds no .yaml file", name)
		}
		slices.Sort(found)
		out = append(out, found...)
	}
	return out, nil
}

// openJobs loads all documents before it opens any store, so that a mistake in the last
// one leaves all data alone.
func openJobs(c *cli.Context, s surroundings, names []string, log *slog.Logger) ([]*job, error) {
	options, err := loadOptions(c, s)
	if err != nil {
		return nil, err
	}
	var jobs []*job
	valid := true
	for _, name := range names {
		plan, diagnostics := pipeline.Load(c.Context, name, options)
		if plan == nil || !c.Bool("quiet") {
			printDiagnostics(s.stderr, diagnostics)
		}
		if plan == nil {
			valid = false
			continue
		}
		log := log.With("pipeline", plan.Name)
		jobs = append(jobs, &job{plan: plan, log: log, guests: &guestLog{log: log}})
	}
	if !valid {
		return jobs, ended(exitInvalid)
	}
	if err := distinct(jobs); err != nil {
		return jobs, err
	}
	for _, j := range jobs {
		if err := j.open(c, s, nil); err != nil {
			return jobs, err
		}
	}
	return jobs, nil
}

func distinct(jobs []*job) error {
	seen := map[string]string{}
	for _, j := range jobs {
		if other, ok := seen[j.plan.Name]; ok {
			return usagef("give each its own metadata.name", "%s and %s are both named %q", other, j.plan.File, j.plan.Name)
		}
		seen[j.plan.Name] = j.plan.File
	}
	return nil
}

// open makes the store and the engine, and serves the run's control socket. feed takes the
// place of the sources; nil lets them run.
func (j *job) open(c *cli.Context, s surroundings, feed func(context.Context, *engine.Engine) error) (err error) {
	if j.store, err = openStore(c, j.plan, j.log); err != nil {
		return err
	}
	j.evidence = tune.NewEvidence(j.plan)
	j.engine, err = engine.New(engine.Options{
		Plan: j.plan, Store: j.store, Endpoints: endpoint.Endpoints(),
		Log: j.log, Stdin: s.stdin, Stdout: s.stdout, GuestLog: j.guests.take, Feed: feed,
		Isolated: suspects(), Observer: j.observer(c),
	})
	if err != nil {
		return fail(exitFailed, "", err)
	}
	if !c.Bool("ephemeral") {
		j.serve()
	}
	return nil
}

// serve lets other processes of this user speak with the run. A run without a socket is
// worth more than none: what cannot be served is said.
func (j *job) serve() {
	server, err := control.Serve(j.store.Dir(), j.engine, j.store)
	if err == nil {
		if err = j.store.Announce(server.Address()); err == nil {
			j.control = server
			server.Offer(evidencePath, func() any { return j.evidence })
			return
		}
		err = errors.Join(err, server.Close())
	}
	j.log.Warn("the run cannot be asked while it runs: it has no control socket", "error", err)
}

// runJobs runs all engines side by side and returns their outcomes in the documents' order.
func runJobs(c *cli.Context, s surroundings, jobs []*job) []engine.Outcome {
	defer context.AfterFunc(c.Context, func() {
		for _, j := range jobs {
			j.blocked.Store(j.engine.Status().Reason)
		}
		remark(c, s, "leat: ending once what is in flight is done; a second signal ends at once")
	})()
	if !c.Bool("quiet") && !c.Bool("json") {
		p := startProgress(s, func() []reading { return readings(jobs) })
		defer p.end()
	}
	outcomes := make([]engine.Outcome, len(jobs))
	var wg sync.WaitGroup
	for i, j := range jobs {
		wg.Go(func() { outcomes[i] = j.engine.Run(c.Context) })
	}
	wg.Wait()
	return outcomes
}

func readings(jobs []*job) []reading {
	out := make([]reading, len(jobs))
	for i, j := range jobs {
		st := j.engine.Status()
		out[i] = reading{
			pipeline: st.Pipeline, read: st.Read, committed: int64(st.Balance.Committed), inFlight: int64(st.InFlight),
			deadLetters: st.Letters, blocked: st.Reason,
		}
		if st.Sized {
			out[i].bytesRead, out[i].bytesTotal = st.SourceRead, st.SourceTotal
		}
	}
	return out
}

// closeJobs releases what was opened. A store that failed cannot close, which its run has
// already said.
func closeJobs(jobs []*job) {
	for _, j := range jobs {
		var errs []error
		if j.control != nil {
			errs = append(errs, j.control.Close())
		}
		if j.store != nil {
			errs = append(errs, j.store.Close())
		}
		errs = append(errs, j.plan.Close())
		if err := errors.Join(errs...); err != nil && !errors.Is(err, store.ErrFailed) {
			j.log.Error(fmt.Sprintf("closing: %v", err))
		}
	}
}
