package store

import (
	"errors"

	"github.com/cockroachdb/pebble/v2"
)

// DefaultCacheBytes is what NewCache takes for 0: two full memtables. The spool is read
// from memtables while its consumer keeps up; the rest is for replays and lists.
const DefaultCacheBytes = 2 * memTableBytes

// Cache is memory for blocks that were read, shared by the stores of one process: with
// one for each, a process with many pipelines would hold as many times the memory. The
// memtables of its stores count against it (each grows from 256 KiB to 32 MiB with the
// load), so that under load it holds rows to write rather than blocks to read again. It
// is safe for concurrent use.
type Cache struct{ blocks *pebble.Cache }

// NewCache makes a cache of at most so many bytes; 0 is DefaultCacheBytes. Memory is
// taken as it is used. The cache is the caller's to Close, before or after the stores.
func NewCache(bytes int64) (*Cache, error) {
	if bytes < 0 {
		return nil, errors.New("store: a cache needs a size")
	}
	orDefault(&bytes, DefaultCacheBytes)
	return &Cache{pebble.NewCache(bytes)}, nil
}

// Bytes is how much the cache may hold.
func (c *Cache) Bytes() int64 { return c.blocks.MaxSize() }

// Close gives the caller's part back; the memory goes with the last store that uses it.
// It may be called once, and no store opened with the cache afterwards.
func (c *Cache) Close() { c.blocks.Unref() }
