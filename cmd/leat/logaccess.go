package main

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/control"
	"github.com/leat-run/leat/store"
)

// logAccess is the way to a data dir's log: the log itself, or the process that owns it and answers
// through its control socket. Both are nil where there is none.
type logAccess struct {
	log *store.Log
	run *control.LogClient
}

// openLogAccess opens the log, or finds who owns it. make says that one that is not there is to be made.
func openLogAccess(c *cli.Context, make bool) (*logAccess, error) {
	if !make && !store.Exists(logDir(c)) {
		return &logAccess{}, nil
	}
	log, err := openLog(c, store.Options{})
	var inUse *store.InUseError
	if errors.As(err, &inUse) && inUse.Address != "" {
		run := control.DialLog(inUse.Address)
		if _, asked := run.List(c.Context); asked == nil {
			return &logAccess{run: &run}, nil
		}
		run.Close()
		log, err = openLog(c, store.Options{}) // it ended in between
	}
	if err != nil {
		return nil, err
	}
	return &logAccess{log: log}, nil
}

// topics are the log's; those of a log that is not there are none.
func (a *logAccess) topics() control.Topics {
	switch {
	case a.run != nil:
		return *a.run
	case a.log != nil:
		return control.Local{Log: a.log}
	default:
		return noTopics{}
	}
}

func (a *logAccess) close() {
	if a.run != nil {
		a.run.Close()
	}
	if a.log != nil {
		_ = a.log.Close() // what was asked for was answered
	}
}

// noTopics is a log that was never made.
type noTopics struct{}

func (noTopics) List(context.Context) ([]store.Topic, error) { return nil, nil }
func (noTopics) Delete(context.Context, string) error        { return store.ErrNoTopic }
func (noTopics) Create(context.Context, store.TopicSpec) (store.Topic, error) {
	return store.Topic{}, store.ErrNoTopic
}
func (noTopics) Read(context.Context, control.ReadAt) ([]store.TopicRecord, error) {
	return nil, store.ErrNoTopic
}
func (noTopics) Append(context.Context, control.Append) ([]control.Place, error) {
	return nil, store.ErrNoTopic
}
