package main

import (
	"time"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
)

// observers are several in the place of one: each is told everything, in their order.
type observers []engine.Observer

func (all observers) Applied(call engine.Call) {
	for _, o := range all {
		o.Applied(call)
	}
}

func (all observers) Written(sink *pipeline.Sink, records int, took time.Duration, err error) {
	for _, o := range all {
		o.Written(sink, records, took, err)
	}
}

func (all observers) Appended(rows int, took time.Duration) {
	for _, o := range all {
		o.Appended(rows, took)
	}
}

func (all observers) Committed(messages int, took time.Duration) {
	for _, o := range all {
		o.Committed(messages, took)
	}
}
