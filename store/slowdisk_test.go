package store

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// lines is a log that can be read while it is written.
type lines struct {
	sync.Mutex
	bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.Buffer.Write(p)
}

func (l *lines) text() string {
	l.Lock()
	defer l.Unlock()
	return l.Buffer.String()
}

// A sync that hangs is named in the log while it still hangs, with operation and file;
// nothing fails, and the append is acknowledged once the disk goes on.
func TestSlowDiskIsNamedWhileItHangs(t *testing.T) {
	var armed atomic.Bool
	release := make(chan struct{})
	disk := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if armed.Load() && onLog(errorfs.OpFileSync, errorfs.OpFileSyncData)(op) {
			<-release
		}
		return nil
	}))
	var out lines
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelWarn}))
	s := open(t, "", Options{Ephemeral: true, FS: disk, Log: log, SlowDisk: time.Millisecond})
	answer := make(chan error, 1)
	armed.Store(true)
	go func() {
		_, err := s.Append(testRows(1))
		answer <- err
	}()
	eventually(t, "the log names the sync", func() bool { return strings.Contains(out.text(), "the disk is slow") })
	close(release)
	if err := <-answer; err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"operation=sync", ".log"} {
		if !strings.Contains(out.text(), want) {
			t.Errorf("no %q in %s", want, out.text())
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// Slow operations are said once a minute, with how many there were since.
func TestSlowDiskIsSaidOnceAMinute(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	var out lines
	d := newSlowDisk(&Store{opt: Options{Now: func() time.Time { return now }, Log: slog.New(slog.NewTextHandler(&out, nil))}})
	for range 90 {
		d.log(vfs.DiskSlowInfo{Path: "000004.log", OpType: vfs.OpTypeWrite, WriteSize: 4096, Duration: 6 * time.Second})
		now = now.Add(time.Second)
	}
	said := strings.Split(strings.TrimSpace(out.text()), "\n")
	if len(said) != 2 || !strings.Contains(said[0], "seen=1") || !strings.Contains(said[1], "seen=60") {
		t.Fatalf("%d lines:\n%s", len(said), out.text())
	}
}
