package store

import (
	"path/filepath"
	"testing"
)

// Stores of one process share a cache: what is read through any of them counts against its
// one bound, and the cache may be closed before or after them.
func TestStoresShareOneCache(t *testing.T) {
	c, err := NewCache(8 << 20)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var held []int64
	for _, name := range []string{"a", "b", "c", "d"} {
		s := open(t, filepath.Join(dir, name), Options{Cache: c, MinFreeBytes: -1})
		if _, err := s.Append(testRows(1000)); err != nil {
			t.Fatal(err)
		}
		if err := flush(s); err != nil {
			t.Fatal(err)
		}
		if err := s.Rows(0, func(Row) error { return nil }); err != nil {
			t.Fatal(err)
		}
		held = append(held, c.blocks.Size())
		if s.db.Metrics().BlockCache.Size != c.blocks.Size() {
			t.Fatal("the store has a cache of its own")
		}
	}
	if held[0] == 0 || held[3] <= held[0] || held[3] > c.Bytes() {
		t.Fatalf("the cache holds %v after each store, its bound is %d", held, c.Bytes())
	}
	c.Close()
}

func TestACacheNeedsASize(t *testing.T) {
	if _, err := NewCache(-1); err == nil {
		t.Fatal("a negative cache was made")
	}
	c, err := NewCache(0)
	if err != nil || c.Bytes() != DefaultCacheBytes {
		t.Fatal(c.Bytes(), err)
	}
	c.Close()
}
