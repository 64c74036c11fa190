package store

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/leat-run/leat/runtime"
)

// pebbleFormat is pinned: a newer Pebble does not change the files of a store by being
// linked in.
const pebbleFormat = pebble.FormatValueSeparation

// pebbleDir is Pebble's own directory inside the store's.
const pebbleDir = "pebble"

func (s *Store) openPebble() error {
	fs := s.opt.FS
	switch {
	case fs == nil && s.opt.Ephemeral:
		fs = vfs.NewMem()
	case fs == nil:
		fs = vfs.Default
	}
	s.gate = newGate(s.slow.under(fs), s.presence, s.opt.Durability == DurabilityOS, s.fail, s.space.notify)
	dir := filepath.Join(s.dir, pebbleDir)
	if names, err := fs.List(dir); err == nil {
		s.presence.found(dir, names)
	}
	if usage, err := fs.GetDiskUsage(s.dir); err == nil && usage.AvailBytes < uint64(max(s.ballast.size, 0)) {
		s.ballast.drop() // opening needs room itself
	}
	return s.awaitPebble()
}

// awaitPebble opens the database on a goroutine: on a disk that is full or fails, Open of
// Pebble is parked at the gate, and the caller is told.
func (s *Store) awaitPebble() error {
	opened := make(chan error, 1)
	go func() {
		db, err := pebble.Open(filepath.Join(s.dir, pebbleDir), s.pebbleOptions())
		s.db = db
		opened <- err
	}()
	select {
	case err := <-opened:
		if err != nil {
			return fmt.Errorf("store: open %s: %w", s.dir, err)
		}
		return nil
	case <-s.failed:
		return fmt.Errorf("store: open %s: %w", s.dir, s.Err())
	case <-s.gate.full():
		return fmt.Errorf("store: open %s: %w", s.dir, ErrFull)
	}
}

func (s *Store) pebbleOptions() *pebble.Options {
	o := &pebble.Options{
		FS:                 s.gate,
		FormatMajorVersion: pebbleFormat,
		MemTableSize:       memTableBytes,
		Logger:             &pebbleLog{s},
		EventListener: &pebble.EventListener{
			BackgroundError: s.background,
			DataCorruption:  func(i pebble.DataCorruptionInfo) { s.fail(fmt.Errorf("%w: %v", ErrCorrupt, i)) },
		},
	}
	if s.opt.Cache != nil {
		o.Cache = s.opt.Cache.blocks
	}
	layTables(o)
	return o
}

// background hears of a flush or compaction that failed. Write errors end at the gate, so
// it is a read error or a fault of a file: Pebble would try again a thousand times a second.
func (s *Store) background(err error) {
	select {
	case <-s.closing:
	default:
		s.gate.shut()
		s.fail(fmt.Errorf("background: %w", err))
	}
}

// pebbleLog passes on what Pebble says. Fatalf must not return and may not end the
// process: it fails the store and keeps its goroutine.
type pebbleLog struct{ s *Store }

func (l *pebbleLog) Infof(format string, args ...any) {
	l.s.opt.Log.Debug("pebble: " + fmt.Sprintf(format, args...))
}

func (l *pebbleLog) Errorf(format string, args ...any) {
	l.s.opt.Log.Warn("pebble: " + fmt.Sprintf(format, args...))
}

func (l *pebbleLog) Fatalf(format string, args ...any) {
	l.s.fail(fmt.Errorf("pebble: "+format, args...))
	select {}
}

// recover reads where the store stood.
func (s *Store) recover() error {
	if err := s.checkFormat(); err != nil {
		return err
	}
	value, err := s.get(kindCheckpoint.start())
	if err == nil {
		s.durable.checkpoint, err = decodeCheckpoint(value)
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		return fmt.Errorf("store: recover checkpoint: %w", err)
	}
	return s.recoverSpool()
}

func (s *Store) checkFormat() error {
	value, err := s.get(kindFormat.start())
	if errors.Is(err, ErrNotFound) {
		if err := s.syncAbove(); err != nil {
			return err
		}
		return s.db.Set(kindFormat.start(), []byte{storeFormat}, pebble.Sync)
	}
	if err != nil {
		return err
	}
	r := openValue(value, storeFormat, "store")
	return r.close()
}

func (s *Store) recoverSpool() error {
	value, err := s.get(kindTrim.start())
	if err == nil {
		s.durable.trimmed, err = decodeTrim(value)
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		return fmt.Errorf("store: recover trim mark: %w", err)
	}
	s.durable.mark = s.durable.trimmed
	s.gone.Store(uint64(s.durable.trimmed.seq))
	it, err := s.db.NewIter(&pebble.IterOptions{
		LowerBound: rowKey(s.durable.trimmed.seq + 1), UpperBound: kindRow.end(),
	})
	if err != nil {
		return fmt.Errorf("store: recover spool: %w", err)
	}
	if it.Last() {
		s.durable.mark, err = rowMark(it.Key(), it.Value())
	}
	return s.readFault(errors.Join(err, it.Error(), it.Close()))
}

func rowMark(key, value []byte) (mark, error) {
	seq, err := parseRowKey(key)
	if err != nil {
		return mark{}, err
	}
	_, before, err := decodeRow(value)
	return mark{seq, before + uint64(len(key)+len(value))}, err
}

func encodeTrim(m mark) []byte {
	w := wireWriter{buf: []byte{trimFormat}}
	w.uint(uint64(m.seq))
	w.uint(m.bytes)
	return w.buf
}

func decodeTrim(value []byte) (mark, error) {
	r := openValue(value, trimFormat, "trim mark")
	m := mark{runtime.Seq(r.uint()), r.uint()}
	return m, r.close()
}

// get returns a copy of the value of key, or ErrNotFound.
func (s *Store) get(key []byte) ([]byte, error) {
	value, closer, err := s.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("store: read: %w", s.readFault(err))
	}
	out := append([]byte(nil), value...)
	return out, closer.Close()
}
