package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// layers is the import picture as data: what each package may import of this module.
// Imports go down only; cmd alone sees all. A new package needs a row here.
var layers = map[string][]string{
	"runtime":                             {},
	"flavors/script":                      {"runtime"},
	"flavors/wasm":                        {"runtime", "flavors/wasm/meter"},
	"flavors/wasm/meter":                  {},
	"flavors/process":                     {"runtime"},
	"flavors/flavortest":                  {"runtime"},
	"store":                               {"runtime"},
	"engine/commit":                       {"runtime"},
	"engine/causal":                       {},
	"engine/codec":                        {"runtime"},
	"engine/pipeline":                     {"runtime", "engine/pipeline/document"},
	"engine/pipeline/document":            {},
	"engine/pipeline/document/schematest": {},
	"engine/endpoint/lines":               {"runtime", "engine", "engine/pipeline"},
	"engine/endpoint/file":                {"runtime", "engine", "engine/pipeline", "engine/endpoint/lines"},
	"engine":                              {"runtime", "store", "engine/commit", "engine/pipeline"},
	"engine/tune":                         {"runtime", "store", "engine", "engine/pipeline", "engine/pipeline/document"},
	"engine/control":                      {"runtime", "store", "engine", "engine/causal", "engine/stage", "engine/topic", "engine/pipeline", "engine/control/inbound"},
	"engine/control/inbound":              {"engine/pipeline/document"},
	"engine/endpoint":                     {"runtime", "store", "engine", "engine/causal", "engine/topic", "engine/codec", "engine/endpoint/file", "engine/endpoint/lines", "engine/pipeline"},
	"engine/topic":                        {"store", "engine/causal"},
	"engine/stage":                        {"runtime", "store", "engine", "engine/causal", "engine/codec", "engine/pipeline", "engine/topic"},
	"engine/sim":                          {"runtime", "engine/causal", "engine/commit"},
	"engine/suite":                        {"runtime", "store", "engine", "engine/causal", "engine/codec", "engine/pipeline", "engine/pipeline/document", "engine/stage", "engine/topic"},
	"cmd/leat":                            {"*"},
	"testdata/cmd/orders":                 {},
	"guests":                              {},
	"cmd/leat/scaffold":                   {"guests", "engine/pipeline/document"},
	"cmd/leat/scaffold/toolchain":         {}, // for tests
	"cmd/leat/console":                    {"runtime", "store", "engine", "engine/codec", "engine/control/inbound", "engine/pipeline", "engine/stage"},
	"flavors/script/corpus":               {},
}

// doors names the one package (with its folders below) that imports each dependency, and
// why we have it. Test files are held to the same doors, but for the test tools.
var doors = map[string]struct{ door, why string }{
	"cel.dev/cel-go":                      {"engine/pipeline", "predicates: a typed, cost-limited language that operators know from elsewhere"},
	"go.yaml.in/yaml/v3":                  {"engine/pipeline", "documents: a parser that keeps positions and comments"},
	"github.com/cockroachdb/pebble/v2":    {"store", "the durable ordered store, with a replaceable file system for fault injection"},
	"github.com/tetratelabs/wazero":       {"flavors/wasm", "runs WebAssembly in pure Go"},
	"github.com/dop251/goja":              {"flavors/script", "runs JavaScript in pure Go"},
	"github.com/dlclark/regexp2/v2":       {"flavors/script", "regular expressions with look-around and back-references, under a deadline of their own"},
	"github.com/evanw/esbuild":            {"flavors/script", "bundles TypeScript and modules, with source maps"},
	"github.com/urfave/cli/v2":            {"cmd/leat", "verbs, flags, help"},
	"github.com/prometheus/client_golang": {"cmd/leat/console", "the metrics format that operators scrape"},
	"github.com/prometheus/client_model":  {"cmd/leat/console", "reads the histograms back for the page"},
	"github.com/chromedp/chromedp":        {"cmd/leat/console", "drives a headless Chromium: the page is tested as it is used"},
	"github.com/rogpeppe/go-internal":     {"cmd/leat", "line by line differences of what goes into a node and what comes out"},
	"github.com/google/pprof":             {"cmd/leat", "writes the profile format that other tools read"},
	"golang.org/x/term":                   {"cmd/leat", "is standard error a terminal, and how wide"},
	"golang.org/x/sys":                    {"*", "flock, statfs, rlimits: the system calls that package syscall froze"},
}

// testTools may be imported by any test file.
var testTools = []string{
	"github.com/rogpeppe/go-internal", "github.com/cockroachdb/datadriven", "go.uber.org/goleak",
	"github.com/cockroachdb/pebble/v2/vfs", // the disk is what tests replace, never the store
}

const module = "github.com/leat-run/leat/"

type listed struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func listPackages(t *testing.T) []listed {
	t.Helper()
	var stderr bytes.Buffer
	command := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", module+"...")
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var all []listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var p listed
		if err := decoder.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// TestLayers proves that the import picture of the layout is true, and that every
// dependency comes in through its one door.
func TestLayers(t *testing.T) {
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		allowed, ok := layers[name]
		if !ok {
			t.Errorf("%s: no row in layers: add it where it belongs in the picture", name)
			continue
		}
		for _, imported := range p.Imports {
			checkImport(t, name, imported, allowed)
		}
		for _, imported := range append(p.TestImports, p.XTestImports...) {
			checkDoor(t, name, imported, true)
		}
	}
}

func checkImport(t *testing.T, name, imported string, allowed []string) {
	t.Helper()
	if inner, ours := strings.CutPrefix(imported, module); ours {
		for _, a := range allowed {
			if a == "*" || a == inner {
				return
			}
		}
		t.Errorf("%s imports %s: not in the picture", name, inner)
		return
	}
	checkDoor(t, name, imported, false)
}

func checkDoor(t *testing.T, name, imported string, test bool) {
	t.Helper()
	if !strings.Contains(strings.SplitN(imported, "/", 2)[0], ".") || strings.HasPrefix(imported, module) {
		return // standard library, or ours
	}
	if test && hasPathPrefix(imported, testTools...) {
		return
	}
	for dependency, d := range doors {
		if !hasPathPrefix(imported, dependency) {
			continue
		}
		if d.door != "*" && !hasPathPrefix(name, d.door) && name != "cmd/leat" {
			t.Errorf("%s imports %s, whose door is %s (%s)", name, imported, d.door, d.why)
		}
		return
	}
	t.Errorf("%s imports %s: a dependency without a door; add a row that says why", name, imported)
}

func hasPathPrefix(path string, prefixes ...string) bool {
	for _, p := range prefixes {
		if path == p || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return false
}
