package store

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/leat-run/leat/runtime"
)

// BenchmarkAppend prints the spool beside its yardstick, raw Pebble batches of the same
// rows with a sync each, alternating in one run: ratio is the median over the rounds of
// store/raw in rows per second (target >= 0.8). One iteration is one round of both.
func BenchmarkAppend(b *testing.B) {
	for _, c := range []struct{ sources, rows int }{{1, 256}, {4, 256}, {64, 16}} {
		b.Run(fmt.Sprintf("sources=%d/rows=%d", c.sources, c.rows), func(b *testing.B) {
			benchPair(b, c.sources, c.rows)
		})
	}
}

func benchPair(b *testing.B, sources, rows int) {
	s, err := Open(filepath.Join(b.TempDir(), "store"), Options{BallastBytes: -1, MinFreeBytes: -1})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	o := s.pebbleOptions()
	o.FS, o.EventListener = vfs.Default, nil
	raw, err := pebble.Open(filepath.Join(b.TempDir(), "raw"), o)
	if err != nil {
		b.Fatal(err)
	}
	defer raw.Close()
	const groups = 32
	group := benchRows(rows)
	yard := &yardstick{db: raw, value: encodeRow(group[0], 0)}
	var ours, theirs []float64
	for b.Loop() {
		theirs = append(theirs, rate(sources, groups, rows, func() error { return yard.write(rows) }))
		ours = append(ours, rate(sources, groups, rows, func() error {
			first, err := s.Append(group)
			if err == nil && first%trimWindow < runtime.Seq(rows) {
				err = s.SetCheckpoint(Checkpoint{Through: first})
			}
			return err
		}))
	}
	ratios := make([]float64, len(ours))
	for i := range ours {
		ratios[i] = ours[i] / theirs[i]
	}
	b.ReportMetric(median(ours), "rows/s")
	b.ReportMetric(median(theirs), "raw-rows/s")
	b.ReportMetric(median(ratios), "ratio")
}

func benchRows(n int) []Row {
	rows := testRows(n)
	for i := range rows {
		rows[i].Message.Payload = make([]byte, 400)
	}
	return rows
}

// yardstick writes batches of rows and gives up what it consumed, as the store does.
type yardstick struct {
	mu    sync.Mutex
	next  runtime.Seq
	db    *pebble.DB
	value []byte
}

func (y *yardstick) write(rows int) error {
	y.mu.Lock()
	from := y.next
	y.next += runtime.Seq(rows)
	y.mu.Unlock()
	wb := y.db.NewBatch()
	for i := range rows {
		if err := wb.Set(rowKey(from+runtime.Seq(i)), y.value, nil); err != nil {
			return err
		}
	}
	if from%(trimWindow/256*256) == 0 && from > 0 {
		if err := wb.DeleteRange(kindRow.start(), rowKey(from), nil); err != nil {
			return err
		}
	}
	return wb.Commit(pebble.Sync)
}

// rate runs groups calls spread over the sources and returns rows per second.
func rate(sources, groups, rows int, call func() error) float64 {
	start := time.Now()
	var all sync.WaitGroup
	for range sources {
		all.Go(func() {
			for range groups {
				if err := call(); err != nil {
					panic(err)
				}
			}
		})
	}
	all.Wait()
	return float64(sources*groups*rows) / time.Since(start).Seconds()
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
