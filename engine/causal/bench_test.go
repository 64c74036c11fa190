package causal

import (
	"fmt"
	"testing"
)

// wide is a task that consumes n channels, and a record for each that claims all of them.
func wide(b *testing.B, n int) (*Task, []Fetched) {
	d := Declaration{Sinks: []TopicID{topicID("out")}}
	var claims []Coordinate
	for i := range n {
		c := Channel{Topic: topicID("in"), Partition: int32(i)}
		d.Inputs = append(d.Inputs, Input{Channel: c})
		claims = append(claims, Coordinate{c, 0})
	}
	task, _, err := Restore(d, madeUp{}, wideLog{n})
	if err != nil {
		b.Fatal(err)
	}
	header := []Header{{HeaderClock, NewClock(claims...).AppendTo(nil)}}
	records := make([]Fetched, n)
	for i, in := range d.Inputs {
		if err := task.Advance(in.Channel, 1); err != nil {
			b.Fatal(err)
		}
		records[i] = Fetched{Channel: in.Channel, Offset: 1, Headers: header}
	}
	return task, records
}

type wideLog struct{ partitions int }

func (l wideLog) Topic(TopicID) (Topic, bool, error) {
	return Topic{Partitions: make([]Extent, l.partitions)}, true, nil
}

// BenchmarkDeliver is a record's whole way through the protocol, with one stamped emission: by the number of channels, each of
// which its clock claims. stamp-bytes is the width of what goes out.
func BenchmarkDeliver(b *testing.B) {
	for _, n := range []int{1, 4, 16, 64} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			task, records := wide(b, n)
			b.ReportAllocs()
			var stamp []byte
			for i := 0; b.Loop(); i++ {
				r := &records[i%n]
				if err := task.Receive(*r); err != nil {
					b.Fatal(err)
				}
				if _, ok := task.Next(); !ok {
					b.Fatal("held")
				}
				if err := task.Delivered(); err != nil {
					b.Fatal(err)
				}
				stamp = task.Stamp().AppendTo(stamp[:0])
				r.Offset++
				if i%100 == 99 {
					task.Flush()
				}
			}
			b.ReportMetric(float64(len(stamp)), "stamp-bytes")
		})
	}
}

// BenchmarkDeliverPlain is the same with records that claim nothing.
func BenchmarkDeliverPlain(b *testing.B) {
	task, records := wide(b, 1)
	r := records[0]
	r.Headers = nil
	for i := 0; b.Loop(); i++ {
		if err := task.Receive(r); err != nil {
			b.Fatal(err)
		}
		if err := task.Delivered(); err != nil {
			b.Fatal(err)
		}
		r.Offset++
		if i%100 == 99 {
			task.Flush()
		}
	}
}

// BenchmarkTruncate says what a sweep gives back when everything upstream of 64 channels was deleted by retention.
func BenchmarkTruncate(b *testing.B) {
	var before, after int
	for b.Loop() {
		task, _ := wide(b, 1)
		var claims []Coordinate
		for i := range 64 {
			claims = append(claims, Coordinate{Channel{topicID("up"), int32(i)}, 9})
		}
		header := []Header{{HeaderClock, NewClock(claims...).AppendTo(nil)}}
		if err := task.Receive(Fetched{Channel: Channel{Topic: topicID("in")}, Offset: 1, Headers: header}); err != nil {
			b.Fatal(err)
		}
		before = task.Stamp().Size()
		if _, err := task.Truncate(NewClock(claims...)); err != nil {
			b.Fatal(err)
		}
		after = task.Stamp().Size()
	}
	b.ReportMetric(float64(before), "stamp-bytes-before")
	b.ReportMetric(float64(after), "stamp-bytes-after")
}
