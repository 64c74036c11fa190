package scaffold

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/leat-run/leat/cmd/leat/scaffold/toolchain"
	"github.com/leat-run/leat/engine/endpoint"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/suite"
	"github.com/leat-run/leat/flavors/script"
	"github.com/leat-run/leat/flavors/wasm"
	"github.com/leat-run/leat/guests"
	"github.com/leat-run/leat/runtime"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestScaffolds proves invariants 1 and 2 for every kind and language: laid out in an empty
// directory and built without a network, the suite passes and the documents load without a
// warning. Go is built in every run; another language is skipped where its compiler is missing.
func TestScaffolds(t *testing.T) {
	flavor := wasm.New(wasm.Options{CacheDir: filepath.Join(os.TempDir(), "leat-test-cache")})
	t.Cleanup(func() { _ = flavor.Close() })
	catalog := pipeline.Catalog{
		Flavors: map[string]runtime.Flavor{"script": script.New(script.Options{}), "wasm": flavor},
		Sources: endpoint.Sources(), Sinks: endpoint.Sinks(), Codecs: []string{"json", "raw"},
	}
	for _, kind := range []Kind{Pipeline, Transform, Stage} {
		for _, name := range Languages() {
			t.Run(string(kind)+"/"+name, func(t *testing.T) {
				language, _ := Find(name)
				made, err := New(Request{Kind: kind, Name: "de-mo.x", Language: language})
				if err != nil {
					t.Fatal(err)
				}
				dir := filepath.Join(t.TempDir(), made.Dir)
				lay(t, dir, made)
				build(t, dir, name, made.Build)
				passes(t, filepath.Join(dir, made.Document), catalog)
			})
		}
	}
}

func lay(t *testing.T, dir string, made Scaffold) {
	t.Helper()
	for _, f := range made.Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Text, 0o644); err != nil {
			t.Fatal(err)
		}
		if f.Path == "README.md" && bytes.Count(f.Text, []byte("\n")) > 12 {
			t.Errorf("README.md is longer than it should be:\n%s", f.Text)
		}
		if bytes.Contains(f.Text, []byte("<no value>")) || bytes.Contains(f.Text, []byte("{{.")) {
			t.Errorf("%s is not filled in:\n%s", f.Path, f.Text)
		}
	}
}

// build runs the build command, or skips the test with what is missing.
func build(t *testing.T, dir, language, command string) {
	t.Helper()
	if command == "" {
		return
	}
	if testing.Short() && language != "go" {
		t.Skipf("-short builds Go only")
	}
	command, err := toolchain.Command(language, command)
	if missing := toolchain.ErrMissing(""); errors.As(err, &missing) {
		t.Skipf("%s is not built here: %v", language, missing)
	} else if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off", "CARGO_NET_OFFLINE=true")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

// passes runs the suite beside a document and loads the document strictly.
func passes(t *testing.T, document string, catalog pipeline.Catalog) {
	t.Helper()
	closer, diagnostics := loadStrictly(document, catalog)
	if closer == nil {
		t.Fatal(diagnostics)
	}
	if err := closer.Close(); err != nil {
		t.Error(err)
	}
	s, diagnostics := suite.Load(strings.TrimSuffix(document, ".yaml")+suite.Extension, nil)
	if s == nil {
		t.Fatal(diagnostics)
	}
	result, err := s.Run(t.Context(), suite.Options{Load: pipeline.LoadOptions{Catalog: catalog}, Codecs: endpoint.Endpoints().Codecs})
	if err != nil || result.Invalid() || len(result.Cases) == 0 {
		t.Fatal(err, result.Diagnostics)
	}
	for _, c := range result.Cases {
		t.Logf("%s: fuel %v", c.Name, c.Fuel)
	}
	for _, c := range result.Failed() {
		t.Errorf("%s\n%s", c.Name, c.Diff)
	}
}

func loadStrictly(document string, catalog pipeline.Catalog) (io.Closer, []pipeline.Diagnostic) {
	options := pipeline.LoadOptions{Catalog: catalog, Strict: true}
	if text, err := os.ReadFile(document); err == nil && pipeline.Kind(text) == pipeline.KindStage {
		plan, diagnostics := pipeline.LoadStage(context.Background(), document, options)
		if plan == nil {
			return nil, diagnostics
		}
		return plan, nil
	}
	plan, diagnostics := pipeline.Load(context.Background(), document, options)
	if plan == nil {
		return nil, diagnostics
	}
	return plan, nil
}

// TestSDKCopy proves that the copy of Go's SDK is the SDK.
func TestSDKCopy(t *testing.T) {
	for _, name := range []string{"leat.go", "abi_wasip1.go", "go.mod", "stage/stage.go", "stage/abi_wasip1.go"} {
		want, err := os.ReadFile(filepath.Join("..", "..", "..", "guests", "go", name))
		if err != nil {
			t.Fatal(err)
		}
		as := strings.ReplaceAll(name, "/", "_")
		got, err := embedded.ReadFile("sdk/go/" + as + ".txt")
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("sdk/go/%s.txt is not guests/go/%s: copy it (%v)", as, name, err)
		}
	}
}

// TestAssemblyScriptExports proves, where its compiler is missing too, that the templates hand on
// the exports that the SDK's own example does.
func TestAssemblyScriptExports(t *testing.T) {
	sdk, err := guests.SDK.ReadFile("assemblyscript/leat.ts")
	if err != nil {
		t.Fatal(err)
	}
	exports := regexp.MustCompile(`export \{[^}]*\} from "./leat";`).FindAll(sdk, -1)
	if len(exports) != 2 {
		t.Fatalf("the SDK shows %q: one of a transform and one of a stage are wanted", exports)
	}
	language, _ := Find("assemblyscript")
	for kind, export := range map[Kind][]byte{Pipeline: exports[0], Transform: exports[0], Stage: exports[1]} {
		made, err := New(Request{Kind: kind, Name: "demo", Language: language})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(made.Files, func(f File) bool { return path.Base(f.Path) != "leat.ts" && bytes.Contains(f.Text, export) }) {
			t.Errorf("%s lacks %s", kind, export)
		}
	}
}

// TestExamplesBecomeOwn proves that a stage which begins as one of the worked examples says nothing
// that is true in the example's folder only.
func TestExamplesBecomeOwn(t *testing.T) {
	for _, name := range []string{"c", "rust", "assemblyscript"} {
		language, _ := Find(name)
		made, err := New(Request{Kind: Stage, Name: "demo", Language: language})
		if err != nil {
			t.Fatal(err)
		}
		code := made.Files[slices.IndexFunc(made.Files, func(f File) bool { return strings.HasPrefix(f.Path, "src/") })]
		if !bytes.Contains(code.Text, []byte("Ships an order once it is paid")) || bytes.Contains(code.Text, []byte("../")) || bytes.Contains(code.Text, []byte("guests/")) {
			t.Errorf("%s: %s", code.Path, code.Text)
		}
	}
}

// TestCheckName proves which names can be a directory, a node, a crate and a Go module.
func TestCheckName(t *testing.T) {
	for name, fine := range map[string]bool{
		"demo": true, "a.b-c_d": true, "A1": true, strings.Repeat("a", 64): true,
		"": false, "1a": false, "../a": false, "a/b": false, "a..b": false, "a.": false, "true": false, "No": false, "test": false, "ä": false,
		strings.Repeat("a", 65): false, "nul": false, "Con.x": false, "log": false, "a.test": false, "a.Test": false, "a.tests": true, "in": false, "out": false,
	} {
		if got := CheckName(name); (got == "") != fine {
			t.Errorf("%q: %q", name, got)
		}
	}
}

// TestGoModuleOfAnyName proves that a transform may be called like a package of Go's own library.
func TestGoModuleOfAnyName(t *testing.T) {
	language, _ := Find("go")
	for _, name := range []string{"hash", "std", "cmd", "go"} {
		made, err := New(Request{Kind: Transform, Name: name, Language: language})
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), made.Dir)
		lay(t, dir, made)
		build(t, dir, "go", "GOOS=wasip1 GOARCH=wasm go list -C src .")
	}
}
