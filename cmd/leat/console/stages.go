package console

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/stage"
	"github.com/leat-run/leat/store"
)

// stageJSON is a causal stage: what it did in this process, and which records wait for
// their causes or behind a failure.
type stageJSON struct {
	Stage          string          `json:"stage"`
	State          string          `json:"state"`
	Reason         string          `json:"reason"`
	Received       int64           `json:"received"`
	Delivered      int64           `json:"delivered"`
	Emitted        int64           `json:"emitted"`
	DeadLetters    int64           `json:"dead_letters"`
	ReplaysSkipped int64           `json:"replays_skipped"`
	Held           int64           `json:"held"`
	StampEntries   int64           `json:"stamp_entries"`
	Holds          []stage.Hold    `json:"holds"`
	Blocked        []stage.Blocked `json:"blocked"`
}

func stageRow(s *stage.Stage) stageJSON {
	n := s.Counts()
	state, reason := stageState(s)
	row := stageJSON{
		Stage: s.Name(), State: string(state), Reason: reason, Received: n.Received, Delivered: n.Delivered, Emitted: n.Emitted, DeadLetters: n.Letters,
		ReplaysSkipped: n.Replays, Held: n.Held, StampEntries: n.StampLength, Holds: s.Holds(), Blocked: s.Blocked(),
	}
	row.Holds = row.Holds[:min(len(row.Holds), holdsMost)]
	row.Blocked = row.Blocked[:min(len(row.Blocked), holdsMost)]
	if row.Holds == nil {
		row.Holds = []stage.Hold{}
	}
	if row.Blocked == nil {
		row.Blocked = []stage.Blocked{}
	}
	return row
}

func (s *Server) listStages(w http.ResponseWriter, _ *http.Request) {
	rows := make([]stageJSON, len(s.opt.Stages))
	for i, one := range s.opt.Stages {
		rows[i] = stageRow(one)
	}
	answer(w, rows)
}

func collectStage(ch chan<- prometheus.Metric, s *stage.Stage) {
	name, n := s.Name(), s.Counts()
	ch <- stageReceived.value(float64(n.Received), name)
	ch <- stageDelivered.value(float64(n.Delivered), name)
	ch <- stageEmitted.value(float64(n.Emitted), name)
	ch <- stageLetters.value(float64(n.Letters), name)
	ch <- stageReplays.value(float64(n.Replays), name)
	ch <- stageUntruncated.value(float64(n.Skipped), name)
	ch <- stageStamp.value(float64(n.StampLength), name)
	ch <- stageHeld.value(float64(n.Held), name)
	ch <- stageBlocked.value(float64(len(s.Blocked())), name)
	ch <- stageFailed.value(oneIf(s.Err() != nil), name)
	var oldest int64
	for _, h := range s.Holds() {
		oldest = max(oldest, h.HeldMS)
	}
	ch <- stageHeldAge.value(float64(oldest)/1000, name)
}

// collectLog tells of the log of topics; a run without one has a log that wants nothing.
func collectLog(ch chan<- prometheus.Metric, l *store.Log) {
	var state engine.State
	if l != nil {
		state = logState(l)
	}
	ch <- logBlocked.value(oneIf(state == engine.StateBlocked))
	ch <- logFailed.value(oneIf(state == stateFailed))
}
