package console

import (
	"time"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
)

// pipelineJSON is a pipeline as the API and the page see it. Counts are of this process,
// rates are per second over the last sample.
type pipelineJSON struct {
	Pipeline    string       `json:"pipeline"`
	State       string       `json:"state"`
	Reason      string       `json:"reason"`
	Since       string       `json:"since"`
	Mode        string       `json:"mode"`
	Rates       ratesJSON    `json:"rates"`
	Read        int64        `json:"read"`
	Replayed    int64        `json:"replayed"`
	Injected    int64        `json:"injected"`
	Committed   uint64       `json:"committed"`
	DeadLetters int64        `json:"dead_letters"`
	Branches    branchesJSON `json:"branches"`
	FilteredBy  filteredJSON `json:"filtered_by"`
	InFlight    int          `json:"in_flight"`
	InFlightMax int          `json:"in_flight_max"`
	InBytes     int64        `json:"in_flight_bytes"`
	InBytesMax  int64        `json:"in_flight_bytes_max"`
	Checkpoint  runtime.Seq  `json:"checkpoint"`
	Lag         int64        `json:"lag"`
	SpoolRows   int64        `json:"spool_rows"`
	SpoolBytes  int64        `json:"spool_bytes"`
	SpoolMax    int64        `json:"spool_bytes_max"`
	BytesRead   int64        `json:"source_bytes_read"`
	BytesTotal  int64        `json:"source_bytes_total"` // 0 where it is not known
	Nodes       []nodeJSON   `json:"nodes"`
	Edges       []edgeJSON   `json:"edges"`
}

type ratesJSON struct {
	Read         float64 `json:"read"`
	Committed    float64 `json:"committed"`
	Delivered    float64 `json:"delivered"`
	Filtered     float64 `json:"filtered"`
	DeadLettered float64 `json:"dead_lettered"`
}

type branchesJSON struct {
	Open         int64  `json:"open"`
	Delivered    uint64 `json:"delivered"`
	Filtered     uint64 `json:"filtered"`
	Dropped      uint64 `json:"dropped"`
	DeadLettered uint64 `json:"dead_lettered"`
}

type filteredJSON struct {
	Null     uint64 `json:"null"`
	NoOutput uint64 `json:"no_output"`
	NoMatch  uint64 `json:"no_match"`
}

// nodeJSON is a source, a transform or a sink.
type nodeJSON struct {
	Name     string     `json:"name"`
	Role     string     `json:"role"`   // source, transform, sink
	Plugin   string     `json:"plugin"` // of a source or sink; the flavor of a transform
	Workers  int        `json:"workers"`
	Waiting  int        `json:"waiting"`
	In       int64      `json:"in"`
	Out      int64      `json:"out"`
	Failed   int64      `json:"failed"`
	Retries  int64      `json:"retries"`
	Dropped  int64      `json:"dropped"`
	Recycled int64      `json:"recycled"`
	Rate     float64    `json:"rate"` // of In; of Out for a source
	Spent    *spentJSON `json:"spent,omitempty"`
}

type edgeJSON struct {
	From     string  `json:"from"`
	To       string  `json:"to"`
	When     string  `json:"when"`
	Required bool    `json:"required"`
	Passed   int64   `json:"passed"`
	Rate     float64 `json:"rate"`
}

// pipelineRow makes the answer of two looks.
func pipelineRow(p *Pipeline, now, before *look) pipelineJSON {
	s, limits := &now.status, p.Plan.Limits
	row := pipelineJSON{
		Pipeline: s.Pipeline, State: string(s.State), Reason: s.Reason, Mode: string(p.Plan.Mode),
		Read: s.Read, Replayed: s.Replayed, Injected: s.Injected, Committed: s.Balance.Committed, DeadLetters: s.Letters,
		Branches:   branchesJSON{s.Branches, s.Balance.Delivered, s.Balance.Filtered(), s.Balance.Dropped, s.Balance.DeadLettered},
		FilteredBy: filteredJSON{s.Balance.Null, s.Balance.NoOutput, s.Balance.NoMatch},
		InFlight:   s.InFlight, InFlightMax: limits.MaxInFlight, InBytes: s.InFlightBytes, InBytesMax: limits.MaxInFlightBytes,
		Checkpoint: s.Checkpoint, Lag: s.Lag(), SpoolRows: s.SpoolRows, SpoolBytes: s.SpoolBytes, SpoolMax: p.Plan.Storage.MaxBytes,
	}
	if !s.Since.IsZero() {
		row.Since = s.Since.UTC().Format(time.RFC3339)
	}
	if s.Sized {
		row.BytesRead, row.BytesTotal = s.SourceRead, s.SourceTotal
	}
	rate := rates(now, before)
	row.Rates = ratesJSON{
		Read:         rate(func(s *engine.RunStatus) int64 { return s.Read }),
		Committed:    rate(func(s *engine.RunStatus) int64 { return int64(s.Balance.Committed) }),
		Delivered:    rate(func(s *engine.RunStatus) int64 { return int64(s.Balance.Delivered) }),
		Filtered:     rate(func(s *engine.RunStatus) int64 { return int64(s.Balance.Filtered()) }),
		DeadLettered: rate(func(s *engine.RunStatus) int64 { return s.Letters }),
	}
	row.Nodes, row.Edges = nodeRows(p, s, rate), edgeRows(p, s, rate)
	return row
}

// rates returns what makes a rate of a count that both looks have.
func rates(now, before *look) func(func(*engine.RunStatus) int64) float64 {
	return func(count func(*engine.RunStatus) int64) float64 {
		if !now.at.After(before.at) {
			return 0
		}
		return float64(count(&now.status)-count(&before.status)) / now.at.Sub(before.at).Seconds()
	}
}

func nodeRows(p *Pipeline, s *engine.RunStatus, rate func(func(*engine.RunStatus) int64) float64) []nodeJSON {
	var rows []nodeJSON
	for i, src := range s.Sources {
		rows = append(rows, nodeJSON{
			Name: src.Name, Role: "source", Plugin: src.Plugin, Workers: 1, Out: src.Accepted,
			Rate: rate(func(s *engine.RunStatus) int64 { return s.Sources[i].Accepted }),
		})
	}
	transforms, sinks := p.Plan.Transforms, p.Plan.Sinks
	for i, n := range s.Nodes {
		row := nodeJSON{
			Name: n.Name, Role: "sink", Workers: 1, Waiting: n.Waiting, In: n.In, Out: n.Out, Failed: n.Failed, Retries: n.Retries,
			Dropped: n.Dropped, Recycled: n.Recycled.Failure + n.Recycled.Memory,
			Rate: rate(func(s *engine.RunStatus) int64 { return s.Nodes[i].In }),
		}
		if i < len(transforms) { // they come first
			row.Role, row.Plugin, row.Workers = "transform", n.Flavor, transforms[i].Workers
			row.Spent = p.Recorder.spent(transforms[i])
		} else {
			row.Plugin = sinks[i-len(transforms)].Plugin
		}
		rows = append(rows, row)
	}
	return rows
}

func edgeRows(p *Pipeline, s *engine.RunStatus, rate func(func(*engine.RunStatus) int64) float64) []edgeJSON {
	rows := make([]edgeJSON, len(s.Edges))
	for i, e := range s.Edges {
		rows[i] = edgeJSON{
			From: e.From, To: e.To, When: when(p.Plan.Edges[i]), Required: p.Plan.Edges[i].Required, Passed: e.Passed,
			Rate: rate(func(s *engine.RunStatus) int64 { return s.Edges[i].Passed }),
		}
	}
	return rows
}

func when(e *pipeline.Edge) string {
	if e.When == nil {
		return ""
	}
	return e.When.Text
}
