package meter

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// kernel is one exported function of a guest, with an argument that makes it run for a
// few milliseconds.
type kernel struct {
	module, function string
	n                uint64
	small            uint64 // an argument that the interpreter is quick with
}

var kernels = []kernel{
	{"c.wasm", "sha", 2000, 20}, {"c.wasm", "matmul", 10, 1}, {"c.wasm", "sieve", 1_000_000, 5000},
	{"c.wasm", "fib", 27, 15}, {"c.wasm", "lcg", 5_000_000, 20_000}, {"c.wasm", "bytesum", 8, 1},
	{"c.wasm", "sort", 30_000, 500}, {"c.wasm", "interp", 400_000, 1000}, {"c.wasm", "crc", 200_000, 1000},
	{"c.wasm", "fields", 40, 1}, {"c.wasm", "calltree", 9, 5},
	{"simd.wasm", "sha", 2000, 20}, {"simd.wasm", "matmul", 20, 1}, {"simd.wasm", "bytesum", 40, 1},
	{"rust.wasm", "hashsort", 4, 1}, {"rust.wasm", "jsonstats", 10_000, 100},
	{"as.wasm", "mandel", 150, 10}, {"as.wasm", "strings", 20_000, 300},
	{"go", "decode", 300, 3}, {"go", "sorted", 10_000, 100}, {"go", "passes", 40, 1},
}

var goGuest = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "goguest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "guest.wasm")
	build := exec.Command("go", "build", "-buildmode=c-shared", "-o", out, ".")
	build.Dir = filepath.Join("testdata", "goguest")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		return text, err
	}
	return os.ReadFile(out)
})

// wasm returns the kernel's module; the Go one is built on the spot.
func (k kernel) wasm(t testing.TB) []byte {
	t.Helper()
	if k.module != "go" {
		return fixture(t, k.module)
	}
	if testing.Short() {
		t.Skip("builds a Go guest")
	}
	module, err := goGuest()
	if err != nil {
		t.Fatalf("building the Go guest: %v\n%s", err, module)
	}
	return module
}
