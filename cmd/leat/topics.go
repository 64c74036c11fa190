package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/control"
	"github.com/leat-run/leat/engine/endpoint"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/stage"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/store"
)

// topics is the data dir's log in a run.
type topics struct {
	log     *store.Log
	drain   *topic.Drain
	control *control.Server // nil where nothing outlives the run, or no socket can be made
	logger  *slog.Logger
}

// logDir is where the log of topics lives.
func logDir(c *cli.Context) string { return filepath.Join(c.String("data-dir"), store.LogDir) }

// openTopics opens the log for a run, as the flags say: those that the verb has.
func openTopics(c *cli.Context, log *slog.Logger) (*topics, error) {
	durability, err := durabilityOf(c, store.DurabilityFsync)
	if err != nil {
		return nil, err
	}
	l, err := openLog(c, store.Options{Ephemeral: c.Bool("ephemeral"), Durability: durability, Log: log})
	if err != nil {
		return nil, err
	}
	return &topics{log: l, drain: topic.NewDrain(), logger: log}, nil
}

// A verb about topics has the log for a moment only (logLoan), and names no address: that is waited for.
const (
	logPatience = 5 * time.Second
	logRetry    = 20 * time.Millisecond
)

// openLog makes the data dir and opens the log in it.
func openLog(c *cli.Context, o store.Options) (*store.Log, error) {
	if !o.Ephemeral {
		if err := os.MkdirAll(logDir(c), store.DirMode); err != nil {
			return nil, fail(exitFailed, "give another --data-dir", fmt.Errorf("the data dir cannot be made: %w", err))
		}
	}
	for deadline := time.Now().Add(logPatience); ; {
		l, err := store.OpenLog(logDir(c), o)
		var inUse *store.InUseError
		if errors.As(err, &inUse) && inUse.Address == "" && time.Now().Before(deadline) {
			select {
			case <-time.After(logRetry):
				continue
			case <-c.Context.Done():
			}
		}
		return l, openFailure(err)
	}
}

// serve lets other processes of this user speak with the log and its stages.
func (t *topics) serve(log *slog.Logger, jobs []*stageJob) {
	stages := make([]*stage.Stage, len(jobs))
	for i, j := range jobs {
		stages[i] = j.stage
	}
	server, err := control.ServeLog(t.log.Dir(), t.log, stages...)
	if err == nil {
		if err = t.log.Announce(server.Address()); err == nil {
			t.control = server
			return
		}
		err = errors.Join(err, server.Close())
	}
	log.Warn("the log cannot be asked while it is in use: it has no control socket", "error", err)
}

// close lets go of the log. One that failed cannot close, which its run has already said.
func (t *topics) close() {
	if t == nil {
		return
	}
	var errs []error
	if t.control != nil {
		errs = append(errs, t.control.Close())
	}
	if err := errors.Join(append(errs, t.log.Close())...); err != nil && !errors.Is(err, store.ErrFailed) {
		t.logger.Error(fmt.Sprintf("closing the log: %v", err))
	}
}

const pluginTopic = "topic"

func usesTopics(plan *pipeline.Plan) bool {
	for _, s := range plan.Sinks {
		if s.Plugin == pluginTopic {
			return true
		}
	}
	return topicSources(plan) > 0
}

func topicSources(plan *pipeline.Plan) (n int) {
	for _, s := range plan.Sources {
		if s.Plugin == pluginTopic {
			n++
		}
	}
	return n
}

// endpoints are those of the catalog; where the pipeline has topics, on the run's log, or on one that is
// opened for it alone. A pipeline that reads nothing but topics is done when all who write topics are; any other
// writes until it ends.
func (j *job) endpoints(c *cli.Context) (engine.Endpoints, error) {
	if !usesTopics(j.plan) {
		return endpoint.Endpoints(), nil
	}
	if j.topics == nil {
		t, err := openTopics(c, j.log)
		if err != nil {
			return engine.Endpoints{}, err
		}
		j.topics, j.owned = t, true
	}
	if topicSources(j.plan) == len(j.plan.Sources) {
		return endpoint.WithTopics(j.topics.log, j.topics.drain), nil
	}
	j.member = j.topics.drain.Join(nil)
	return endpoint.WithTopics(j.topics.log, nil), nil
}
