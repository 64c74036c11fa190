package wasm

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// goWords builds testdata/words/go, the one program that is too large to be kept built.
var goWords = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "words")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "words.wasm")
	build := exec.Command("go", "build", "-trimpath", "-buildmode=c-shared", "-o", out, ".")
	build.Dir = filepath.Join("testdata", "words", "go")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOWORK=off")
	if text, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, text)
	}
	return os.ReadFile(out)
})

// languages are those of the programs words and score, which each exist in all of them.
var languages = []string{"assemblyscript", "c", "go", "rust"}

func words(t testing.TB, language string) []byte {
	t.Helper()
	if language != "go" {
		return guest(t, filepath.Join("words", language))
	}
	if testing.Short() {
		t.Skip("builds a Go guest")
	}
	module, err := goWords()
	if err != nil {
		t.Fatal(err)
	}
	return module
}

func score(t testing.TB, language string) []byte {
	t.Helper()
	module, err := os.ReadFile(filepath.Join("..", "..", "guests", language, "score", "score.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// TestPrograms proves that the programs of the determinism test do something, and all the
// same, also with messages that outgrow the room which the guest gave for the first.
func TestPrograms(t *testing.T) {
	long := "=" + strings.Repeat("long", 10_000)
	for _, language := range languages {
		t.Run(language, func(t *testing.T) {
			m, err := load(t, words(t, language), settings())
			if err != nil {
				t.Fatal(err)
			}
			w, err := runtime.NewWorker(t.Context(), m, runtime.Host{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for n, payload := range []string{"b a b\nc", "=same", long, "=same", long + long, "b a b\nc"} {
				want := payload
				if payload[0] != '=' {
					want = "b 2\na 1\nc 1\n"
				}
				if got := applied(t, w, payload); len(got) != 1 || got[0] != want {
					t.Errorf("message %d: %q, want %q", n, got, want)
				}
			}
			if err := cmp.Or(w.Close(), m.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDeterminism proves for 8 programs in 4 languages that results, fuel and memory follow
// from code and messages alone: on both engines, for four sizes of a grant, each on a fresh
// instance with three messages; and that a guest stopped at half of its fuel stops in the same
// place, with the same memory. Two sizes
// with -short, and one for Go on the interpreter.
func TestDeterminism(t *testing.T) {
	text := strings.Repeat("the quick brown fox jumps over the lazy dog and the cat ", 8)
	order := `{"id":"o-1","total":1234.56,"items":[{"sku":"a"},{"sku":"b"}],"priority":1,"note":"é \u00e9 {}"}`
	for _, language := range languages {
		for program, payload := range map[string]string{"words": text, "score": order} {
			t.Run(language+"/"+program, func(t *testing.T) {
				build := words
				if program == "score" {
					build = score
				}
				module, cache := build(t, language), t.TempDir()
				want := ""
				for _, interpreter := range []bool{false, true} {
					for _, chunk := range chunks(language, interpreter) {
						have := outcomes(t, module, Options{Interpreter: interpreter, chunk: chunk, CacheDir: cache}, payload)
						if want = cmp.Or(want, have); have != want {
							t.Errorf("interpreter %t, chunk %d:\n%s\nwant\n%s", interpreter, chunk, have, want)
						}
					}
				}
			})
		}
	}
}

func chunks(language string, interpreter bool) []int64 {
	all := []int64{1, 777, 100_000, 1 << 40}
	switch {
	case language == "go" && (interpreter || testing.Short()):
		return all[2:3]
	case testing.Short():
		return all[1:3]
	}
	return all
}

// outcomes describes three messages on a fresh instance, and the same stopped half-way.
func outcomes(t *testing.T, code []byte, options Options, payload string) string {
	t.Helper()
	f := newFlavor(t, options)
	s := settings()
	s.Budget.Timeout = time.Hour
	var out strings.Builder
	half := int64(0)
	for _, fuel := range []int64{s.Budget.Fuel, 0} {
		s.Budget.Fuel = cmp.Or(fuel, half)
		loaded, err := f.Compile(t.Context(), runtime.Code{Name: "guest.wasm", Bytes: code}, s)
		if err != nil {
			t.Fatal(err)
		}
		m := loaded.(*module)
		i, err := m.take(t.Context(), runtime.Host{})
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < 3 && i.spent == runtime.RecycleNone; n++ {
			in := message(payload)
			in.ID = fmt.Sprint("m", n)
			result, err := i.Apply(t.Context(), in)
			if half = result.Usage.Fuel / 2; half == 0 {
				t.Fatal("no fuel was counted")
			}
			fmt.Fprintf(&out, "%q %v fuel %d memory %x\n", payloads(result), err, result.Usage.Fuel, sha256.Sum256(i.memory.bytes()))
		}
		if err := cmp.Or(i.Close(), m.Close()); err != nil {
			t.Error(err)
		}
	}
	if !strings.Contains(out.String(), "fuel: ") {
		t.Errorf("half of the fuel was enough: %s", out.String())
	}
	return out.String()
}
