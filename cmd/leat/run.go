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
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/suite"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/engine/tune"
	"github.com/leat-run/leat/store"
)

func runCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:      "run",
		Usage:     "run pipelines and causal stages in the foreground",
		ArgsUsage: "FILE|DIR...",
		Description: "Runs each document until its sources are exhausted (batch) or a signal comes (continuous). What was not\n" +
			"committed replays on the next run. A directory stands for the .yaml files in it. Several documents run side by\n" +
			"side over one data dir; stages and pipelines meet in its topics.\n\n" +
			"--json prints an object per document when all have ended: how it did, and what became of its messages. Where a\n" +
			"document is invalid nothing runs, and each has an object with its status (invalid or skipped) and diagnostics.\n" +
			"Standard output is then for these objects alone: a pipeline with a stdout sink is refused.\n\n" +
			"Examples:\n   leat run orders.yaml --json\n   leat run orders.yaml fulfilment.yaml",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "ephemeral", Usage: "keep the store in memory: nothing outlives the run"},
			&cli.StringFlag{Name: "durability", Value: "fsync", Usage: "fsync, or os: survives a killed process but not a lost machine"},
			&cli.BoolFlag{Name: "accept-loss", Usage: "start stages although retention has deleted records that they have not read; the gap is logged"},
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
	plan     *pipeline.Plan
	store    *store.Store
	engine   *engine.Engine
	control  *control.Server // nil where nothing outlives the run, or no socket can be made
	log      *slog.Logger
	guests   *guestLog
	blocked  atomic.Value      // string: why it was blocked when a signal came
	recorder *console.Recorder // nil without --http
	cache    *store.Cache      // of the run; nil where this is its only pipeline
	evidence *tune.Evidence    // of what the guests need
	topics   *topics           // the log that its topics are of; nil where it has none
	owned    bool              // topics are this job's alone
	member   *topic.Member
	at       int // among the documents
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
	d, err := openDocuments(c, s, names, log)
	defer d.close()
	if err != nil {
		return err
	}
	stop, err := serveConsole(c, s, d, log)
	if err != nil {
		return err
	}
	defer stop()
	outcomes := runJobs(c, s, d.jobs, d.stages...)
	code := exitCompleted
	for at := range len(d.jobs) + len(d.stages) {
		one, err := d.settle(c, s, at, outcomes)
		if err != nil {
			return err
		}
		code = worse(code, one)
	}
	return ended(code)
}

// documents are what one command runs.
type documents struct {
	jobs   []*job
	stages []*stageJob
	topics *topics      // nil where no document needs the log
	cache  *store.Cache // shared by the pipelines' stores; nil where there are not several
}

// settle tells how the document ended that was given at that place.
func (d *documents) settle(c *cli.Context, s surroundings, at int, outcomes []engine.Outcome) (exitCode, error) {
	for i, j := range d.jobs {
		if j.at == at {
			j.guests.remark(c, s)
			return exitOf(outcomes[i]), settle(c, s, j, outcomes[i])
		}
	}
	for _, j := range d.stages {
		if j.at == at {
			return exitOfStage(j.outcome), settleStage(c, s, j.outcome)
		}
	}
	panic("run: a document is lost")
}

func (d *documents) close() {
	closeStages(d.stages)
	closeJobs(d.jobs)
	d.topics.close()
	if d.cache != nil {
		d.cache.Close()
	}
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
		found, err := filesIn(name, ".yaml", ".yml")
		if err != nil {
			return nil, usagef("name a document", "%s cannot be read: %v", name, err)
		}
		found = slices.DeleteFunc(found, func(name string) bool { return strings.HasSuffix(name, suite.Extension) })
		if len(found) == 0 {
			return nil, usagef("name a document", "%s holds no .yaml file", name)
		}
		out = append(out, found...)
	}
	return out, nil
}

// filesIn returns the paths in a directory that end in one of the extensions, sorted. The directory is no
// pattern: its name may hold brackets.
func filesIn(dir string, extensions ...string) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if slices.Contains(extensions, filepath.Ext(e.Name())) && !e.IsDir() {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, err
}

// share gives the stores of several pipelines one cache: the memory of a run does not grow
// with its documents.
func (d *documents) share() (err error) {
	if len(d.jobs) < 2 {
		return nil
	}
	if d.cache, err = store.NewCache(store.DefaultCacheBytes); err != nil {
		return fail(exitInternal, "", err)
	}
	for _, j := range d.jobs {
		j.cache = d.cache
	}
	return nil
}

// open opens the log if a document needs it, then everything on it: all who write topics are members
// of the drain before the first one runs.
func (d *documents) open(c *cli.Context, s surroundings, log *slog.Logger) (err error) {
	if d.needLog() {
		if d.topics, err = openTopics(c, log); err != nil {
			return err
		}
	}
	for _, j := range d.jobs {
		j.topics = d.topics
		if err := j.open(c, s, nil); err != nil {
			return err
		}
	}
	for _, j := range d.stages {
		if err := j.open(c, d.topics); err != nil {
			return err
		}
	}
	if d.topics != nil && !c.Bool("ephemeral") {
		d.topics.serve(log, d.stages)
	}
	return nil
}

func (d *documents) needLog() bool {
	return len(d.stages) > 0 || slices.ContainsFunc(d.jobs, func(j *job) bool { return usesTopics(j.plan) })
}

// open makes the store and the engine, and serves the run's control socket. feed takes the
// place of the sources; nil lets them run.
func (j *job) open(c *cli.Context, s surroundings, feed func(context.Context, *engine.Engine) error) (err error) {
	if j.store, err = openStore(c, j.plan, j.log, j.cache); err != nil {
		return err
	}
	j.evidence = tune.NewEvidence(j.plan)
	endpoints, err := j.endpoints(c)
	if err != nil {
		return err
	}
	j.engine, err = engine.New(engine.Options{
		Plan: j.plan, Store: j.store, Endpoints: endpoints,
		Log: j.log, Stdin: s.stdin, Stdout: s.rows, GuestLog: j.guests.take, Feed: feed,
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

// runJobs runs all engines and stages side by side. It returns the engines' outcomes; a stage's is
// its own.
func runJobs(c *cli.Context, s surroundings, jobs []*job, stages ...*stageJob) []engine.Outcome {
	told := make(chan struct{})
	stop := context.AfterFunc(c.Context, func() {
		defer close(told)
		for _, j := range jobs {
			j.blocked.Store(j.engine.Status().Reason)
		}
		remark(c, s, "leat: ending once what is in flight is done; a second signal ends at once")
	})
	defer func() {
		if !stop() {
			<-told // it looks at engines and stores, which are closed next
		}
	}()
	if !c.Bool("quiet") && !c.Bool("json") {
		p := startProgress(s, func() []reading { return append(readings(jobs), stageReadings(stages)...) })
		defer p.end()
	}
	outcomes := make([]engine.Outcome, len(jobs))
	var wg sync.WaitGroup
	for i, j := range jobs {
		wg.Go(func() {
			defer j.member.Leave()
			outcomes[i] = j.engine.Run(c.Context)
		})
	}
	for _, j := range stages {
		wg.Go(func() { j.outcome = j.stage.Run(c.Context) })
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
		if j.owned {
			j.topics.close()
		}
		if err := errors.Join(errs...); err != nil && !errors.Is(err, store.ErrFailed) {
			j.log.Error(fmt.Sprintf("closing: %v", err))
		}
	}
}
