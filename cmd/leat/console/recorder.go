package console

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
)

// Recorder is the engine's Observer of one pipeline: it keeps the distributions. It costs
// a few hundred nanoseconds for each call into a guest, and holds as many histograms as
// the plan has nodes. Its methods are safe for concurrent use.
type Recorder struct {
	transforms map[string]*transformSeries
	sinks      map[string]*sinkSeries
	append     prometheus.Histogram
	commit     prometheus.Histogram
	all        []prometheus.Collector
}

// transformSeries are the distributions of one transform.
type transformSeries struct {
	fuel, time, memory, input prometheus.Histogram
	failures                  map[runtime.Kind]prometheus.Counter
}

// sinkSeries are the distributions of one sink.
type sinkSeries struct {
	write, batch prometheus.Histogram
	failures     prometheus.Counter
}

var _ engine.Observer = (*Recorder)(nil)

// NewRecorder makes the series of every node of the plan, so that none appears, or has to
// be looked for under a lock, while messages flow.
func NewRecorder(plan *pipeline.Plan) *Recorder {
	r := &Recorder{transforms: map[string]*transformSeries{}, sinks: map[string]*sinkSeries{}}
	name := plan.Name
	for _, t := range plan.Transforms {
		s := &transformSeries{
			fuel: r.histogram(guestFuel, name, t.Name, t.Flavor), time: r.histogram(guestTime, name, t.Name, t.Flavor),
			memory: r.histogram(guestMemory, name, t.Name, t.Flavor), input: r.histogram(guestInput, name, t.Name, t.Flavor),
			failures: map[runtime.Kind]prometheus.Counter{},
		}
		for _, kind := range runtime.Kinds() {
			s.failures[kind] = r.counter(guestFailures, name, t.Name, t.Flavor, string(kind))
		}
		r.transforms[t.Name] = s
	}
	for _, s := range plan.Sinks {
		r.sinks[s.Name] = &sinkSeries{
			write: r.histogram(sinkWrite, name, s.Name), batch: r.histogram(sinkBatch, name, s.Name),
			failures: r.counter(sinkFailures, name, s.Name),
		}
	}
	r.append, r.commit = r.histogram(appendTime, name), r.histogram(commitTime, name)
	return r
}

// histogram makes one series with both kinds of buckets: classic ones for everybody, and
// native ones for who scrapes them.
func (r *Recorder) histogram(i *instrument, values ...string) prometheus.Histogram {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: i.name, Help: i.help, ConstLabels: i.constant(values), Buckets: i.buckets,
		NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 100, NativeHistogramMinResetDuration: time.Hour,
	})
	r.all = append(r.all, h)
	return h
}

func (r *Recorder) counter(i *instrument, values ...string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: i.name, Help: i.help, ConstLabels: i.constant(values)})
	r.all = append(r.all, c)
	return c
}

// Applied is engine.Observer's.
func (r *Recorder) Applied(c engine.Call) {
	s := r.transforms[c.Node.Name]
	s.time.Observe(c.Usage.Duration.Seconds())
	s.input.Observe(float64(c.InputBytes))
	if c.Usage.Fuel > 0 {
		s.fuel.Observe(float64(c.Usage.Fuel))
	}
	if c.Usage.Memory > 0 {
		s.memory.Observe(float64(c.Usage.Memory))
	}
	if c.Kind != "" {
		s.failures[c.Kind].Inc()
	}
}

// Written is engine.Observer's.
func (r *Recorder) Written(sink *pipeline.Sink, records int, took time.Duration, err error) {
	s := r.sinks[sink.Name]
	s.write.Observe(took.Seconds())
	s.batch.Observe(float64(records))
	if err != nil {
		s.failures.Inc()
	}
}

// Appended is engine.Observer's.
func (r *Recorder) Appended(_ int, took time.Duration) { r.append.Observe(took.Seconds()) }

// Committed is engine.Observer's. The messages of a group count as one: they came and went
// together.
func (r *Recorder) Committed(_ int, took time.Duration) { r.commit.Observe(took.Seconds()) }
