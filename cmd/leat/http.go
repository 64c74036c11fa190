package main

import (
	"io"
	"log/slog"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/cmd/leat/console"
	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/endpoint"
	"github.com/leat-run/leat/store"
)

// tokenVariable holds the console's token: an argument could be read by every user of the
// machine.
const tokenVariable = "LEAT_HTTP_TOKEN"

func httpFlag() cli.Flag {
	return &cli.StringFlag{Name: "http", Usage: "serve a page, metrics and an API at `ADDR`, such as 127.0.0.1:8080; " +
		"an address that others can reach needs a token in " + tokenVariable}
}

// observer is who is told while messages flow: the evidence for tune, and with --http the
// console's recorder.
func (j *job) observer(c *cli.Context) engine.Observer {
	if c.String("http") == "" {
		return j.evidence
	}
	j.recorder = console.NewRecorder(j.plan)
	return observers{j.evidence, j.recorder}
}

// checkHTTP refuses an address or a token before anything is opened.
func checkHTTP(c *cli.Context, s surroundings) error {
	if c.String("http") == "" {
		return nil
	}
	token, _ := s.env(tokenVariable)
	if err := console.Check(c.String("http"), token); err != nil {
		return usagef("set "+tokenVariable+" to 16 characters or more, or use 127.0.0.1:8080", "--http: %v", err)
	}
	return nil
}

// serveConsole serves --http until what it returns is called.
func serveConsole(c *cli.Context, s surroundings, d *documents, log *slog.Logger) (stop func(), err error) {
	if c.String("http") == "" {
		return func() {}, nil
	}
	token, _ := s.env(tokenVariable)
	options := console.Options{
		Address: c.String("http"), Token: token, Version: version(), Log: log,
		Letter: func(l store.DeadLetter) any { return letterRow(l) },
		Show:   func(out io.Writer, l store.DeadLetter) { showLetter(out, l, codesOf(d.jobs, l.Pipeline).since(l)) },
	}
	if d.topics != nil {
		options.Topics = d.topics.log
	}
	for _, j := range d.stages {
		options.Stages = append(options.Stages, j.stage)
	}
	for _, j := range d.jobs {
		options.Pipelines = append(options.Pipelines, console.Pipeline{
			Plan: j.plan, Store: j.store, Engine: j.engine, Codecs: endpoint.Endpoints().Codecs, Recorder: j.recorder,
		})
	}
	server, err := console.Serve(options)
	if err != nil {
		return nil, fail(exitFailed, "give another --http", err)
	}
	remark(c, s, "console: %s", server.URL())
	return func() {
		if err := server.Close(); err != nil {
			log.Warn("the console did not end in time", "error", err)
		}
	}, nil
}

// codesOf are the digests of the code that a pipeline runs with.
func codesOf(jobs []*job, pipeline string) *codes {
	digests := map[string]string{}
	for _, j := range jobs {
		if j.plan.Name == pipeline {
			addDigests(digests, j.plan)
		}
	}
	return &codes{digests: digests}
}
