package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// ballast is a file that only takes up room. On a disk that somebody else filled, Pebble
// cannot even flush the memtable that would let it drop consumed files; giving the
// ballast up lets that flush finish. It is made once the store has taken as many bytes of
// rows, so that a small store stays small, and again when there is ample room.
type ballast struct {
	s    *Store
	path string // "" for none
	size int64
	due  atomic.Bool // there is something to keep
}

const ballastName = "ballast"

func newBallast(s *Store) *ballast {
	b := &ballast{s: s, size: s.opt.BallastBytes}
	if !s.opt.Ephemeral && s.opt.FS == nil && b.size > 0 {
		b.path = filepath.Join(s.dir, ballastName)
	}
	return b
}

func (b *ballast) drop() {
	if b.path == "" {
		return
	}
	if err := os.Remove(b.path); err == nil {
		b.s.opt.Log.Warn("store: ballast given up", "bytes", b.size)
	}
}

// appended is told how many bytes of rows the store holds.
func (b *ballast) appended(bytes int64) {
	if b.path != "" && bytes >= b.size && !b.due.Swap(true) {
		b.s.space.notify()
	}
}

// keep makes the ballast if it is due, is not there, and leaves ample room.
func (b *ballast) keep() {
	if !b.due.Load() {
		return
	}
	if info, err := os.Stat(b.path); err == nil && info.Size() == b.size {
		return
	}
	usage, err := vfs.Default.GetDiskUsage(b.s.dir)
	if err != nil || usage.AvailBytes < uint64(2*b.size+max(b.s.opt.MinFreeBytes, 0)) {
		b.due.Store(false) // the next rows make it due again
		return
	}
	if err := b.write(); err != nil {
		b.s.opt.Log.Warn("store: no ballast", "error", err)
		_ = os.Remove(b.path)
	}
}

// write fills the file with bytes that do not compress to nothing: a sparse or shrunken
// ballast holds no room.
func (b *ballast) write() (err error) {
	file, err := os.OpenFile(b.path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	block := bytes.Repeat([]byte("leat"), 1<<18)
	for done := int64(0); done < b.size && err == nil; done += int64(len(block)) {
		block[done/int64(len(block))%4]++
		_, err = file.Write(block[:min(int64(len(block)), b.size-done)])
	}
	return errors.Join(err, file.Close())
}
