package console

import (
	goruntime "runtime/metrics"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/leat-run/leat/engine"
)

// metrics is what a scrape reads: the counts and gauges of Engine.Status at that moment,
// and the distributions of the recorders.
type metrics struct {
	s        *Server
	registry *prometheus.Registry
}

func newMetrics(s *Server, registry *prometheus.Registry) *metrics {
	m := &metrics{s: s, registry: registry}
	m.registry.MustRegister(m)
	for i := range s.opt.Pipelines {
		for _, c := range s.opt.Pipelines[i].Recorder.all {
			m.registry.MustRegister(c)
		}
	}
	return m
}

// Describe is prometheus.Collector's.
func (m *metrics) Describe(ch chan<- *prometheus.Desc) {
	for _, i := range instruments {
		if i.kind != histogramKind && i != guestFailures && i != sinkFailures {
			ch <- i.desc
		}
	}
}

// Collect is prometheus.Collector's.
func (m *metrics) Collect(ch chan<- prometheus.Metric) {
	ch <- buildInfo.value(1, m.s.opt.Version)
	collectProcess(ch)
	for i := range m.s.opt.Pipelines {
		p := &m.s.opt.Pipelines[i]
		status := p.Engine.Status()
		collectFlow(ch, &status)
		collectHeld(ch, p, &status)
		collectSources(ch, &status)
		collectNodes(ch, p, &status)
	}
	for _, one := range m.s.opt.Stages {
		collectStage(ch, one)
	}
	collectLog(ch, m.s.opt.Topics)
}

// states and reasons are the label values of leat_pipeline_state and leat_blocked.
var (
	states  = []engine.State{engine.StateStarting, engine.StateRunning, engine.StatePaused, engine.StateBlocked, engine.StateDraining, engine.StateStopped}
	reasons = []string{"disk", "spool", "letters"}
)

func collectFlow(ch chan<- prometheus.Metric, s *engine.RunStatus) {
	name, b := s.Pipeline, s.Balance
	ch <- admitted.value(float64(s.Read), name, "live")
	ch <- admitted.value(float64(s.Replayed), name, "replay")
	ch <- admitted.value(float64(s.Injected), name, "inject")
	ch <- committed.value(float64(b.Committed), name)
	ch <- branches.value(float64(b.Delivered), name, "delivered")
	ch <- branches.value(float64(b.Filtered()), name, "filtered")
	ch <- branches.value(float64(b.Dropped), name, "dropped")
	ch <- branches.value(float64(b.DeadLettered), name, "dead_lettered")
	ch <- branches.value(float64(b.Orphaned), name, "orphaned")
	ch <- filtered.value(float64(b.Null), name, "null")
	ch <- filtered.value(float64(b.NoOutput), name, "no_output")
	ch <- filtered.value(float64(b.NoMatch), name, "no_match")
	for _, l := range s.LettersBy {
		ch <- letters.value(float64(l.Count), name, l.Node, l.Class, string(l.Kind))
	}
	ch <- unevaluated.value(float64(s.Unevaluated), name)
}

func collectHeld(ch chan<- prometheus.Metric, p *Pipeline, s *engine.RunStatus) {
	name, limits := s.Pipeline, p.Plan.Limits
	ch <- inFlight.value(float64(s.InFlight), name)
	ch <- inFlightMost.value(float64(limits.MaxInFlight), name)
	ch <- inFlightBytes.value(float64(s.InFlightBytes), name)
	ch <- inFlightRoom.value(float64(limits.MaxInFlightBytes), name)
	ch <- openBranches.value(float64(s.Branches), name)
	ch <- pressureWaits.value(float64(s.Backpressure.Waits), name)
	ch <- pressureTime.value(s.Backpressure.Waited.Seconds(), name)
	ch <- pressureNow.value(float64(s.Backpressure.Waiting), name)
	for _, one := range states {
		ch <- state.value(oneIf(s.State == one), name, string(one))
	}
	for _, one := range reasons {
		ch <- blocked.value(oneIf(s.Blocked == one), name, one)
	}
	ch <- checkpointLag.value(float64(s.Lag()), name)
	ch <- spoolRows.value(float64(s.SpoolRows), name)
	ch <- spoolBytes.value(float64(s.SpoolBytes), name)
	ch <- spoolMost.value(float64(p.Plan.Storage.MaxBytes), name)
}

func collectSources(ch chan<- prometheus.Metric, s *engine.RunStatus) {
	for _, src := range s.Sources {
		ch <- accepted.value(float64(src.Accepted), s.Pipeline, src.Name)
		ch <- sourceRefused.value(float64(src.Refused), s.Pipeline, src.Name)
		ch <- sourceFailed.value(oneIf(src.Failed), s.Pipeline, src.Name)
	}
}

func collectNodes(ch chan<- prometheus.Metric, p *Pipeline, s *engine.RunStatus) {
	name := s.Pipeline
	for _, n := range s.Nodes {
		ch <- nodeIn.value(float64(n.In), name, n.Name)
		ch <- nodeOut.value(float64(n.Out), name, n.Name)
		ch <- nodeWaiting.value(float64(n.Waiting), name, n.Name)
		ch <- nodeRetries.value(float64(n.Retries), name, n.Name)
		ch <- nodeFailed.value(float64(n.Failed), name, n.Name)
		ch <- nodeDropped.value(float64(n.Dropped), name, n.Name)
		if n.Flavor == "" {
			continue
		}
		ch <- recycled.value(float64(n.Recycled.Failure), name, n.Name, "failure")
		ch <- recycled.value(float64(n.Recycled.Memory), name, n.Name, "memory")
		ch <- nearBudget.value(float64(n.Near.Fuel), name, n.Name, "fuel")
		ch <- nearBudget.value(float64(n.Near.Time), name, n.Name, "time")
		ch <- nearBudget.value(float64(n.Near.Memory), name, n.Name, "memory")
	}
	for _, e := range s.Edges {
		ch <- edgePassed.value(float64(e.Passed), name, e.From, e.To)
	}
	for _, t := range p.Plan.Transforms {
		b := t.Settings.Budget
		ch <- instances.value(float64(t.Workers), name, t.Name, t.Flavor)
		ch <- guestBudget.value(float64(b.Fuel), name, t.Name, "fuel")
		ch <- guestBudget.value(b.Timeout.Seconds(), name, t.Name, "time")
		ch <- guestBudget.value(float64(b.Memory), name, t.Name, "memory")
	}
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// collectProcess reads what the Go runtime knows of itself.
func collectProcess(ch chan<- prometheus.Metric) {
	samples := []goruntime.Sample{
		{Name: "/sched/goroutines:goroutines"}, {Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/total:bytes"}, {Name: "/cpu/classes/total:cpu-seconds"}, {Name: "/cpu/classes/idle:cpu-seconds"},
	}
	goruntime.Read(samples)
	ch <- goroutines.value(float64(samples[0].Value.Uint64()))
	ch <- heapBytes.value(float64(samples[1].Value.Uint64()))
	ch <- residentMemory.value(float64(samples[2].Value.Uint64()))
	ch <- cpuTime.value(samples[3].Value.Float64() - samples[4].Value.Float64())
}
