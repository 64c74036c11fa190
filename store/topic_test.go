package store

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

func openLog(t *testing.T, dir string, o Options) *Log {
	t.Helper()
	l, err := OpenLog(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func createTopic(t *testing.T, l *Log, spec TopicSpec) Topic {
	t.Helper()
	topic, err := l.CreateTopic(spec)
	if err != nil {
		t.Fatal(err)
	}
	return topic
}

// appendValues appends one record a value, each in a step of its own.
func appendValues(t *testing.T, l *Log, id TopicID, partition int32, values ...string) {
	t.Helper()
	for _, v := range values {
		if _, err := l.AppendRecords(id, partition, []TopicRecord{{Value: []byte(v)}}); err != nil {
			t.Fatal(err)
		}
	}
}

func readValues(t *testing.T, l *Log, id TopicID, partition int32, from int64) (values []string) {
	t.Helper()
	records, err := l.ReadRecords(id, partition, from, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range records {
		if r.Offset != from+int64(i) {
			t.Fatalf("offset %d where %d should be", r.Offset, from+int64(i))
		}
		values = append(values, string(r.Value))
	}
	return values
}

func noError(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// One step writes records on two topics, the state, the fold, a position and a letter; all
// of it is there after a restart, with null told from empty, and the next offset goes on.
func TestStepIsThereAfterReopening(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, dir, Options{})
	a, b := createTopic(t, l, TopicSpec{Name: "a", Partitions: 2}), createTopic(t, l, TopicSpec{Name: "b", Partitions: 1})
	writeRichStep(t, l, a, b)
	noError(t, l.Close())
	l = openLog(t, dir, Options{})
	checkRichStep(t, l)
	appendValues(t, l, a.ID, 1, "next")
	if got := readValues(t, l, a.ID, 1, 1); !slices.Equal(got, []string{"", "next"}) {
		t.Errorf("records after reopening: %q", got)
	}
}

var richTask = TaskID{Stage: "s", Partition: 1}

func richRecord() TopicRecord {
	return TopicRecord{Key: []byte{}, Value: []byte("v"), Headers: []TopicHeader{{"n", nil}, {"n", []byte{}}, {"", []byte{255}}}}
}

func writeRichStep(t *testing.T, l *Log, a, b Topic) {
	t.Helper()
	step, err := l.Begin()
	noError(t, err)
	for i, r := range []TopicRecord{richRecord(), {Value: []byte{}}} {
		if offset, err := step.Append(a.ID, 1, r); err != nil || offset != int64(i) {
			t.Fatal(offset, err)
		}
	}
	_, err = step.Append(b.ID, 0, TopicRecord{})
	noError(t, err)
	step.SetState(richTask, "scope", []byte("state"))
	step.SetFold(richTask, []byte{1, 'k'}, []byte("fold"))
	step.SetPosition(richTask, a.ID, 1, 7)
	step.PutLetter(richLetter())
	noError(t, step.Commit())
}

func checkRichStep(t *testing.T, l *Log) {
	t.Helper()
	a, found := l.Topic("a")
	if !found || a.Extents[0] != (Extent{}) || a.Extents[1].End != 2 {
		t.Fatalf("topic a: %+v, %v", a, found)
	}
	records, err := l.ReadRecords(a.ID, 1, 0, 2)
	noError(t, err)
	want := richRecord()
	want.Timestamp = records[0].Timestamp
	same(t, want, records[0], nil)
	same(t, TopicRecord{Offset: 1, Timestamp: records[1].Timestamp, Value: []byte{}}, records[1], nil)
	state, err := l.State(richTask, "scope")
	same(t, "state", string(state), err)
	fold, err := l.Fold(richTask, []byte{1, 'k'})
	same(t, "fold", string(fold), err)
	position, err := l.Position(richTask, a.ID, 1)
	same(t, 7, position, err)
	letter, err := l.Letter("id")
	same(t, richLetter(), letter, err)
	other, err := l.State(TaskID{"s", 0}, "scope")
	same(t, "", string(other), err)
}

// What was refused or aborted leaves no trace: no hole, no state, no topic.
func TestAbortLeavesNothing(t *testing.T) {
	l := openLog(t, "", Options{Ephemeral: true})
	a := createTopic(t, l, TopicSpec{Name: "a", Partitions: 1})
	step, err := l.Begin()
	noError(t, err)
	_, err = step.Append(a.ID, 0, TopicRecord{Value: []byte("gone")})
	noError(t, err)
	step.SetState(richTask, "scope", []byte("gone"))
	step.Abort()
	if _, err := l.AppendRecords(a.ID, 1, []TopicRecord{{}}); !errors.Is(err, ErrNoTopic) {
		t.Error("a partition that is not there:", err)
	}
	if _, err := l.CreateTopic(TopicSpec{Name: "a", Partitions: 1}); !errors.Is(err, ErrTopicExists) {
		t.Error("a topic twice:", err)
	}
	for _, bad := range []TopicSpec{{Name: "../a", Partitions: 1}, {Name: "b"}, {Name: "b", Partitions: MaxPartitions + 1}, {Name: "b", Partitions: 1, Retention: -1}} {
		if _, err := l.CreateTopic(bad); !errors.Is(err, ErrTopic) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	appendValues(t, l, a.ID, 0, "0")
	if got := readValues(t, l, a.ID, 0, 0); !slices.Equal(got, []string{"0"}) {
		t.Error(got)
	}
	state, err := l.State(richTask, "scope")
	same(t, "", string(state), err)
	if all := l.Topics(); len(all) != 1 {
		t.Error(all)
	}
}

// Many append to the same partitions at once: offsets are dense, and every step's records stand
// together and in its order on each partition.
func TestConcurrentStepsAreDense(t *testing.T) {
	l := openLog(t, "", Options{Ephemeral: true})
	a := createTopic(t, l, TopicSpec{Name: "a", Partitions: 2})
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for n := range 50 {
				step, err := l.Begin()
				if err != nil {
					t.Error(err)
					return
				}
				for i := range 4 {
					if _, err := step.Append(a.ID, int32(i%2), TopicRecord{Value: fmt.Appendf(nil, "%d-%d-%d", worker, n, i)}); err != nil {
						t.Error(err)
					}
				}
				if err := step.Commit(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for p := range int32(2) {
		values := readValues(t, l, a.ID, p, 0)
		if len(values) != 8*50*2 {
			t.Fatalf("partition %d holds %d records", p, len(values))
		}
		for i := 0; i < len(values); i += 2 {
			var worker, n, at, worker2, n2, at2 int
			_, _ = fmt.Sscanf(values[i], "%d-%d-%d", &worker, &n, &at)
			_, _ = fmt.Sscanf(values[i+1], "%d-%d-%d", &worker2, &n2, &at2)
			if worker != worker2 || n != n2 || at2 != at+2 {
				t.Fatalf("a step was torn: %q, %q", values[i], values[i+1])
			}
		}
	}
}

// Retention removes from the front what is too old or too much, the start outlives a restart,
// offsets go on where they were, and whoever reads below the start is told the numbers.
func TestRetention(t *testing.T) {
	now := time.UnixMilli(1_800_000_000_000)
	o := Options{Now: func() time.Time { return now }}
	dir := t.TempDir()
	l := openLog(t, dir, o)
	size := int64(recordKeyBytes + len(encodeRecord(&TopicRecord{Value: []byte("0")})))
	old := createTopic(t, l, TopicSpec{Name: "old", Partitions: 1, Retention: time.Hour})
	big := createTopic(t, l, TopicSpec{Name: "big", Partitions: 1, RetentionBytes: 2*size + 1})
	all := createTopic(t, l, TopicSpec{Name: "all", Partitions: 1})
	for _, id := range []TopicID{old.ID, big.ID, all.ID} {
		appendValues(t, l, id, 0, "0", "1", "2")
	}
	now = now.Add(30 * time.Minute)
	appendValues(t, l, old.ID, 0, "3")
	now = now.Add(31 * time.Minute)
	if removed, err := l.Retain(); err != nil || removed != 3+1 {
		t.Fatal(removed, err)
	}
	noError(t, l.Close())
	l = openLog(t, dir, o)
	for name, want := range map[string]Extent{"old": {3, 4, size}, "big": {1, 3, 2 * size}, "all": {0, 3, 3 * size}} {
		if got, _ := l.Topic(name); got.Extents[0] != want {
			t.Errorf("%s: %+v, want %+v", name, got.Extents[0], want)
		}
	}
	var outside *OffsetError
	if _, err := l.ReadRecords(old.ID, 0, 2, 1); !errors.As(err, &outside) || outside.Start != 3 || outside.End != 4 {
		t.Error(err)
	}
	if _, err := l.ReadRecords(old.ID, 0, 5, 1); !errors.Is(err, ErrOffset) {
		t.Error(err)
	}
	noError(t, l.Close())
	now = now.Add(2 * time.Hour)
	l = openLog(t, dir, o) // which keeps the retention, too
	if got, _ := l.Topic("old"); got.Extents[0] != (Extent{4, 4, 0}) {
		t.Errorf("old: %+v", got.Extents[0])
	}
	appendValues(t, l, old.ID, 0, "4")
	if got := readValues(t, l, old.ID, 0, 4); !slices.Equal(got, []string{"4"}) {
		t.Error(got)
	}
}

// Timestamps never go back, whatever the clock does.
func TestTimestampsNeverGoBack(t *testing.T) {
	now := time.UnixMilli(5000)
	l := openLog(t, "", Options{Ephemeral: true, Now: func() time.Time { return now }})
	a := createTopic(t, l, TopicSpec{Name: "a", Partitions: 1})
	appendValues(t, l, a.ID, 0, "0")
	now = time.UnixMilli(1000)
	appendValues(t, l, a.ID, 0, "1")
	records, err := l.ReadRecords(a.ID, 0, 0, 2)
	noError(t, err)
	if records[0].Timestamp != 5000 || records[1].Timestamp != 5000 {
		t.Error(records)
	}
}

// They do not go back either where retention has deleted every record, and the log was closed since.
func TestTimestampsOutliveTheirRecords(t *testing.T) {
	dir, now := t.TempDir(), time.UnixMilli(5000)
	o := Options{BallastBytes: -1, Now: func() time.Time { return now }}
	l := openLog(t, dir, o)
	a := createTopic(t, l, TopicSpec{Name: "a", Partitions: 1, Retention: time.Second})
	appendValues(t, l, a.ID, 0, "0", "1")
	now = time.UnixMilli(7000)
	if removed, err := l.Retain(); removed != 2 || err != nil {
		t.Fatal(removed, err)
	}
	if value, err := l.get(recordKey(a.ID, 0, 1)); err != nil || len(value) > recordHeaderBytes+3 {
		t.Errorf("%x of the last record, %v", value, err) // of its own key and value nothing stays
	}
	if _, err := l.ReadRecords(a.ID, 0, 1, 1); !errors.Is(err, ErrOffset) {
		t.Error(err)
	}
	for range 2 { // the second time nothing is appended in between
		noError(t, l.Close())
		l = openLog(t, dir, o)
	}
	now = time.UnixMilli(1000)
	appendValues(t, l, a.ID, 0, "2")
	records, err := l.ReadRecords(a.ID, 0, 2, 1)
	noError(t, err)
	if records[0].Timestamp != 5000 {
		t.Errorf("%+v", records[0])
	}
	if got, _ := l.Topic("a"); got.Extents[0].Start != 2 || got.Extents[0].Bytes != int64(recordSize(encodeRecord(&TopicRecord{Value: []byte("2")}))) {
		t.Errorf("%+v", got.Extents[0])
	}
	noError(t, l.Close())
}

// A topic made again under its name is another topic, empty, with another id; the old id is gone.
func TestTopicMadeAgainIsAnother(t *testing.T) {
	l := openLog(t, "", Options{Ephemeral: true})
	a := createTopic(t, l, TopicSpec{Name: "a", Partitions: 1})
	appendValues(t, l, a.ID, 0, "0")
	noError(t, l.DeleteTopic("a"))
	if err := l.DeleteTopic("a"); !errors.Is(err, ErrNoTopic) {
		t.Error(err)
	}
	again := createTopic(t, l, TopicSpec{Name: "a", Partitions: 1})
	if again.ID == a.ID || again.Extents[0].End != 0 {
		t.Errorf("%+v after %+v", again, a)
	}
	if _, err := l.ReadRecords(a.ID, 0, 0, 1); !errors.Is(err, ErrNoTopic) {
		t.Error(err)
	}
	if _, found := l.TopicByID(a.ID); found {
		t.Error("the old topic is still found")
	}
}

// A watch has a token for what came after it was made, from any of its partitions, and for a deletion.
func TestWatch(t *testing.T) {
	l := openLog(t, "", Options{Ephemeral: true})
	a, b := createTopic(t, l, TopicSpec{Name: "a", Partitions: 2}), createTopic(t, l, TopicSpec{Name: "b", Partitions: 1})
	w := l.Watch()
	defer w.Close()
	noError(t, w.Add(a.ID, 1), w.Add(b.ID, 0))
	appendValues(t, l, a.ID, 0, "not watched")
	select {
	case <-w.C:
		t.Error("a token for nothing")
	default:
	}
	appendValues(t, l, a.ID, 1, "x", "y")
	<-w.C
	noError(t, l.DeleteTopic("b"))
	<-w.C
	w.Close()
	appendValues(t, l, a.ID, 1, "z")
	select {
	case <-w.C:
		t.Error("a token after Close")
	default:
	}
	if err := w.Add(b.ID, 0); !errors.Is(err, ErrNoTopic) {
		t.Error(err)
	}
}

// The place of a key is fixed for ever: a change moves the keys of stores that exist.
func TestPartitionOfIsPinned(t *testing.T) {
	for key, want := range map[string]int32{"": 5, "a": 12, "order-1": 13, "order-2": 4} {
		if got := PartitionOf([]byte(key), 16); got != want {
			t.Errorf("PartitionOf(%q, 16) = %d, was %d", key, got, want)
		}
	}
	if PartitionOf(nil, 16) != 0 {
		t.Error("records without a key go to partition 0")
	}
}

// ForgetStage removes one stage and no other, not even one whose name it begins.
func TestForgetStage(t *testing.T) {
	l := openLog(t, "", Options{Ephemeral: true})
	stages := []TaskID{{"s", 0}, {"s", 300}, {"ss", 0}, {"r", 0}}
	step, err := l.Begin()
	noError(t, err)
	for _, task := range stages {
		step.SetState(task, "scope", []byte("x"))
		step.SetFold(task, []byte{0}, []byte("x"))
	}
	noError(t, step.Commit())
	tasks, err := l.Tasks()
	same(t, []TaskID{{"r", 0}, {"s", 0}, {"s", 300}, {"ss", 0}}, tasks, err)
	noError(t, l.ForgetStage("s"))
	tasks, err = l.Tasks()
	same(t, []TaskID{{"r", 0}, {"ss", 0}}, tasks, err)
	for i, task := range stages {
		count := 0
		noError(t, l.States(task, func(key string, _ []byte) error { count++; return nil }),
			l.Folds(task, func(key, _ []byte) error { count++; return nil }))
		if left := count == 2; left != (i >= 2) {
			t.Errorf("%v has %d entries", task, count)
		}
	}
}
