package wasm

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/leat-run/leat/flavors/wasm/meter"
)

// cache keeps what loading a module costs most: its rewritten bytes, in rewritten/, and its
// machine code, in code/ (wazero's own files). Entries are named by content, rewriter
// version and costs, so that a change of any makes another entry; none is ever wrong, only
// absent. It costs time not to have a cache, never a run: every fault here is a miss.
type cache struct {
	dir  string // "" where there is none on disk
	code wazero.CompilationCache
}

// maxCacheBytes bounds the files of a cache; the longest unused go first.
const maxCacheBytes = 512 << 20

func openCache(dir string) *cache {
	if dir != "" && private(dir) {
		if code, err := wazero.NewCompilationCacheWithDir(filepath.Join(dir, "code")); err == nil {
			prune(dir, maxCacheBytes)
			return &cache{dir: dir, code: code}
		}
	}
	return &cache{code: wazero.NewCompilationCache()}
}

// private makes the directories and says that nobody else can write to them: what is in there
// is run as machine code. They are this user's own: who else has one may let himself in.
func private(dir string) bool {
	for _, part := range []string{"", "code", "rewritten"} {
		path := filepath.Join(dir, part)
		if err := os.MkdirAll(path, 0o700); err != nil {
			return false
		}
		if info, err := os.Stat(path); err != nil || !ours(info) {
			return false
		}
	}
	return true
}

// rewrite is meter.Rewrite through the cache.
func (c *cache) rewrite(module []byte, content fingerprint, options meter.Options) (rewritten []byte, version string, err error) {
	version = meter.RewriteVersion(options)
	file := c.file(content, version)
	if rewritten := readEntry(file); rewritten != nil {
		return rewritten, version, nil
	}
	out, err := meter.Rewrite(module, options)
	if err != nil {
		return nil, "", err
	}
	writeEntry(file, out.Module)
	return out.Module, version, nil
}

func (c *cache) file(content fingerprint, version string) string {
	if c.dir == "" {
		return ""
	}
	return filepath.Join(c.dir, "rewritten", content.with("\x00"+version))
}

// fingerprint is the hash of a module's bytes, which are read once for all that is named by them.
type fingerprint struct{ hash hash.Cloner }

func newFingerprint(module []byte) fingerprint {
	h := sha256.New()
	h.Write(module)
	return fingerprint{h.(hash.Cloner)} // as the standard library's all are
}

// with returns the SHA-256 of the module and what is behind it, in hexadecimal.
func (f fingerprint) with(behind string) string {
	h, err := f.hash.Clone()
	if err != nil {
		panic(fmt.Sprintf("wasm: a hash of the standard library does not clone: %v", err))
	}
	_, _ = io.WriteString(h, behind) // never fails
	return hex.EncodeToString(h.Sum(nil))
}

// checksum is quick: it is to find a torn or rotten file, and nobody else writes there.
func checksum(content []byte) []byte {
	return binary.BigEndian.AppendUint32(nil, crc32.Checksum(content, crc32.MakeTable(crc32.Castagnoli)))
}

// readEntry returns an entry's bytes, or nil. An entry starts with the checksum of the rest, so
// that a torn or rotten file is a miss.
func readEntry(file string) []byte {
	if file == "" {
		return nil
	}
	b, err := os.ReadFile(file)
	if err != nil || len(b) < crc32.Size || !bytes.Equal(checksum(b[crc32.Size:]), b[:crc32.Size]) {
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(file, now, now) // marks it as used; at worst it is pruned early
	return b[crc32.Size:]
}

// writeEntry puts an entry in place whole.
func writeEntry(file string, content []byte) {
	if file == "" {
		return
	}
	temporary, err := os.CreateTemp(filepath.Dir(file), "new-*")
	if err != nil {
		return
	}
	_, err = temporary.Write(append(checksum(content), content...))
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), file)
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
	}
}

// forget drops all machine code on disk, for when an entry does not load. The directories
// stay, since wazero made them when the cache was opened.
func (c *cache) forget() {
	if c.dir != "" {
		prune(filepath.Join(c.dir, "code"), 0)
	}
}

type cached struct {
	path string
	size int64
	used time.Time
}

// prune removes the longest unused files until at most limit bytes are left.
func prune(dir string, limit int64) {
	var entries []cached
	total := int64(0)
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			entries = append(entries, cached{path, info.Size(), info.ModTime()})
			total += info.Size()
		}
		return nil
	})
	slices.SortFunc(entries, func(a, b cached) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.path, b.path)) })
	for _, e := range entries {
		if total <= limit {
			return
		}
		if os.Remove(e.path) == nil {
			total -= e.size
		}
	}
}
