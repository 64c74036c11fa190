package store

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// gateFile is a file that is written through the gate. What it does not override is
// passed on, the descriptor included: without it Pebble falls back to dearer syncs.
type gateFile struct {
	vfs.File
	gate *gate
	name string
	log  bool // a write-ahead log whose syncs are put off until it is closed
}

// isLog says whether a file is a write-ahead log of a relaxed store. Its bytes have been
// handed to the kernel when Pebble asks for the sync, which is what DurabilityOS
// promises; tables and manifests are always synced, and so is a log that is complete,
// or else a lost machine would leave a store that does not open.
func (g *gate) isLog(name string) bool { return g.relaxed && filepath.Ext(name) == ".log" }

func (f *gateFile) Write(p []byte) (n int, err error) {
	err = f.gate.mutate("write "+f.name, func() error {
		m, err := f.File.Write(p[n:]) // a short write goes on at the right byte
		n += m
		return err
	})
	return n, err
}

func (f *gateFile) WriteAt(p []byte, offset int64) (n int, err error) {
	err = f.gate.mutate("write "+f.name, func() error {
		m, err := f.File.WriteAt(p[n:], offset+int64(n))
		n += m
		return err
	})
	return n, err
}

// Preallocate is a wish: a disk that cannot grant it says so again when it is written.
func (f *gateFile) Preallocate(offset, length int64) error {
	_ = f.File.Preallocate(offset, length)
	return nil
}

func (f *gateFile) Sync() error {
	if f.log {
		return nil
	}
	return f.gate.sync("sync "+f.name, f.File.Sync)
}

func (f *gateFile) SyncData() error {
	if f.log {
		return nil
	}
	return f.gate.sync("sync "+f.name, f.File.SyncData)
}

func (f *gateFile) SyncTo(length int64) (full bool, err error) {
	if f.log {
		return false, nil
	}
	err = f.gate.sync("sync "+f.name, func() (err error) {
		full, err = f.File.SyncTo(length)
		return err
	})
	return full, err
}

func (f *gateFile) Close() error {
	if f.log {
		_ = f.gate.sync("sync "+f.name, f.File.Sync)
	}
	err := f.File.Close()
	if err != nil && !errors.Is(err, fs.ErrClosed) {
		f.gate.fail(err)
	}
	return err
}
