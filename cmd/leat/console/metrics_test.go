package console

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/leat-run/leat/engine/pipeline"
)

var update = flag.Bool("update", false, "write the golden list of instruments anew")

const goldenList = "testdata/instruments.txt"

// twenty is a console on a pipeline of 20 nodes, busy enough that every instrument shows.
func twenty(t testing.TB) *world {
	w := newWorld(t, withStage(t), func(_ *Options, plan *pipeline.Plan) { *plan = *testPlan(18) })
	w.emit(`{"n":1}`, `{"bad":2}`, `{"none":3}`)
	return w
}

func (w *world) gather() map[string]*dto.MetricFamily {
	w.Helper()
	// A pedantic registry checks every sample against its description.
	families, err := newMetrics(w.server, prometheus.NewPedanticRegistry()).registry.Gather()
	w.must(err)
	byName := map[string]*dto.MetricFamily{}
	for _, f := range families {
		byName[f.GetName()] = f
	}
	return byName
}

// kindName is the type as a scrape says it.
func (i *instrument) kindName() string {
	switch i.kind {
	case prometheus.CounterValue:
		return "counter"
	case prometheus.GaugeValue:
		return "gauge"
	default:
		return "histogram"
	}
}

// The list of instruments, with type, labels and help, is the golden one, which is what
// dashboards and alerts of others rely on (-update writes it). A scrape of a busy pipeline
// shows every one of them, as the list says, and no other. Names follow one rule.
func TestInstrumentsAreTheGoldenList(t *testing.T) {
	w := twenty(t)
	families := w.gather()
	var list bytes.Buffer
	sorted := slices.SortedFunc(slices.Values(instruments), func(a, b *instrument) int { return strings.Compare(a.name, b.name) })
	for _, i := range sorted {
		fmt.Fprintf(&list, "%s %s {%s} %s\n", i.name, i.kindName(), strings.Join(i.labels, ","), i.help)
		checkName(t, i)
		f := families[i.name]
		if f == nil {
			t.Errorf("%s is not in the scrape", i.name)
			continue
		}
		delete(families, i.name)
		var labels []string
		for _, l := range f.Metric[0].Label {
			labels = append(labels, l.GetName())
		}
		if !slices.Equal(labels, slices.Sorted(slices.Values(i.labels))) || f.GetHelp() != i.help || strings.ToLower(f.GetType().String()) != i.kindName() {
			t.Errorf("%s is scraped as %s %v %q", i.name, f.GetType(), labels, f.GetHelp())
		}
	}
	for name := range families {
		t.Errorf("%s is scraped and not in the list", name)
	}
	if *update {
		w.must(os.WriteFile(goldenList, list.Bytes(), 0o644))
	}
	golden, err := os.ReadFile(goldenList)
	w.must(err)
	if list.String() != string(golden) {
		t.Errorf("the list is not %s (go test -run Golden -update writes it):\n%s", goldenList, list.String())
	}
}

func checkName(t *testing.T, i *instrument) {
	t.Helper()
	if !strings.HasPrefix(i.name, "leat_") || strings.HasSuffix(i.name, "_total") != (i.kind == prometheus.CounterValue) {
		t.Errorf("%s: a name starts with leat_, and a counter's ends with _total", i.name)
	}
	for _, unit := range []string{"milliseconds", "_ms", "_kb", "_mb", "minutes", "percent"} {
		if strings.Contains(i.name, unit) {
			t.Errorf("%s: base units only", i.name)
		}
	}
}

// Histograms have classic buckets for everybody and native ones for who asks for them.
func TestHistogramsAreClassicAndNative(t *testing.T) {
	w := twenty(t)
	for _, i := range instruments {
		if i.kind != histogramKind {
			continue
		}
		h := w.gather()[i.name].Metric[0].Histogram
		if len(h.Bucket) < len(i.buckets) || h.Schema == nil || len(h.PositiveSpan) == 0 && h.GetSampleCount() > 0 {
			t.Errorf("%s: %d classic buckets, schema %v, %d native spans", i.name, len(h.Bucket), h.Schema, len(h.PositiveSpan))
		}
	}
}

// series counts what a scrape of classic histograms makes of the families.
func series(families map[string]*dto.MetricFamily) (n int) {
	for _, f := range families {
		for _, m := range f.Metric {
			if n++; m.Histogram != nil {
				n += len(m.Histogram.Bucket) + 2 // +Inf and sum; the metric itself stands for count
			}
		}
	}
	return n
}

// seriesMost is what a pipeline of 20 nodes may make.
const seriesMost = 3000

// Every series of a pipeline of 20 nodes is counted, their number is bounded, and messages
// of whatever content, id or fate add none beyond the cause of a dead letter.
func TestSeriesAreBounded(t *testing.T) {
	w := twenty(t)
	before := series(w.gather())
	for i := range 50 {
		w.emit(fmt.Sprintf(`{"id":"m-%d","bad":%d}`, i, i), fmt.Sprintf(`{"id":"n-%d"}`, i))
	}
	after := series(w.gather())
	t.Logf("%d series of %d instruments", after, len(instruments))
	if after != before || after > seriesMost {
		t.Errorf("%d series, then %d; at most %d", before, after, seriesMost)
	}
}
