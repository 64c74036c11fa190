package store

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"
)

// fullLog fills a topic of a log on a small disk down to the watermark. What the watermark keeps free is more than the
// records are, so that a merge of their tables fits.
func fullLog(t *testing.T, o Options, spec TopicSpec) *Log {
	t.Helper()
	o.MinFreeBytes, o.BallastBytes = 64<<20, -1
	l := openLog(t, filepath.Join(smallDisk(t, "208m"), "log"), o)
	topic := createTopic(t, l, spec)
	records := make([]TopicRecord, 16)
	for i := range records {
		records[i].Value = make([]byte, 64<<10)
		_, _ = rand.NewChaCha8([32]byte{byte(i)}).Read(records[i].Value)
	}
	var err error
	for err == nil {
		_, err = l.AppendRecords(topic.ID, 0, records)
	}
	if !errors.Is(err, ErrFull) {
		t.Fatal(err)
	}
	return l
}

func opens(t *testing.T, l *Log) {
	t.Helper()
	eventually(t, "the log has room again", func() bool { reason, _ := l.Blocked(); return reason == "" })
}

// A log that is below the watermark by its own doing comes back by itself: the disk gets the room of what retention deletes.
func TestRealDiskRetentionMakesRoom(t *testing.T) {
	l := fullLog(t, Options{}, TopicSpec{Name: "a", Partitions: 1, RetentionBytes: 1 << 20})
	if removed, err := l.Retain(); removed == 0 || err != nil {
		t.Fatal(removed, err)
	}
	opens(t, l)
}

// A topic is deleted, and a stage is forgotten, while there is no room for anything else: that is what makes room.
func TestRealDiskDeletingMakesRoom(t *testing.T) {
	l := fullLog(t, Options{}, TopicSpec{Name: "a", Partitions: 1})
	noError(t, l.ForgetStage("s"), l.DeleteTopic("a"))
	opens(t, l)
	createTopic(t, l, TopicSpec{Name: "b", Partitions: 1, Retention: time.Hour})
}
