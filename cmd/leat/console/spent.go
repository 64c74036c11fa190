package console

import (
	"math"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/leat-run/leat/engine/pipeline"
)

// spentJSON is what calls of a transform spent, beside its budget: the picture to tune by.
type spentJSON struct {
	Fuel   distributionJSON `json:"fuel"`    // the flavor's units
	Time   distributionJSON `json:"seconds"` // wall clock
	Memory distributionJSON `json:"memory"`  // bytes
}

// distributionJSON is a histogram. A bucket holds what is more than the bound of the one
// before, up to its own; empty ones at both ends are left out. What lies above every bound
// is counted in the last bucket, whose bound is null.
type distributionJSON struct {
	Count   uint64       `json:"count"`
	P50     float64      `json:"p50"`
	P95     float64      `json:"p95"`
	P99     float64      `json:"p99"`
	Budget  float64      `json:"budget"`
	Buckets []bucketJSON `json:"buckets"`
}

type bucketJSON struct {
	Above float64  `json:"above"`
	UpTo  *float64 `json:"up_to"`
	Count uint64   `json:"count"`
}

func (r *Recorder) spent(t *pipeline.Transform) *spentJSON {
	s, budget := r.transforms[t.Name], t.Settings.Budget
	return &spentJSON{
		Fuel: distribution(s.fuel, float64(budget.Fuel)), Time: distribution(s.time, budget.Timeout.Seconds()),
		Memory: distribution(s.memory, float64(budget.Memory)),
	}
}

func distribution(h prometheus.Histogram, budget float64) distributionJSON {
	var m dto.Metric
	if err := h.Write(&m); err != nil {
		panic(err) // it writes to memory
	}
	d := distributionJSON{Count: m.Histogram.GetSampleCount(), Budget: budget, Buckets: []bucketJSON{}}
	var above float64
	var below uint64
	for _, b := range m.Histogram.GetBucket() {
		bound := b.GetUpperBound()
		if math.IsInf(bound, 1) {
			break
		}
		d.Buckets = append(d.Buckets, bucketJSON{Above: above, UpTo: &bound, Count: b.GetCumulativeCount() - below})
		above, below = bound, b.GetCumulativeCount()
	}
	if over := d.Count - below; over > 0 {
		d.Buckets = append(d.Buckets, bucketJSON{Above: above, Count: over})
	}
	d.P50, d.P95, d.P99 = d.quantile(0.50), d.quantile(0.95), d.quantile(0.99)
	d.trim()
	return d
}

// quantile assumes that the values of a bucket are spread evenly over it.
func (d *distributionJSON) quantile(q float64) float64 {
	want, seen := q*float64(d.Count), 0.0
	for _, b := range d.Buckets {
		n := float64(b.Count)
		if seen+n < want || n == 0 {
			seen += n
			continue
		}
		if b.UpTo == nil {
			return b.Above
		}
		return b.Above + (*b.UpTo-b.Above)*(want-seen)/n
	}
	return 0
}

func (d *distributionJSON) trim() {
	first, last := 0, len(d.Buckets)
	for first < last && d.Buckets[first].Count == 0 {
		first++
	}
	for last > first && d.Buckets[last-1].Count == 0 {
		last--
	}
	d.Buckets = d.Buckets[first:last]
}
