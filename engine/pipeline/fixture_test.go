package pipeline

import (
	"bytes"
	"context"
	"strings"

	"github.com/leat-run/leat/runtime"
)

// testFlavor compiles nothing: code that contains "syntax error" fails at that place, code
// that contains "counter" is warned about.
type testFlavor struct {
	name   string
	closed *int
}

func (f testFlavor) Name() string { return f.name }

func (f testFlavor) Defaults() runtime.Budget {
	b := runtime.SharedDefaults()
	b.Fuel, b.Stack = 10_000_000, 256
	if f.name == flavorWasm {
		b.Fuel, b.Stack = 1_000_000_000, 10_000
	}
	return b
}

func (f testFlavor) Compile(_ context.Context, code runtime.Code, s runtime.Settings) (runtime.Module, error) {
	if err := s.Budget.Validate(); err != nil {
		return nil, err
	}
	m := &testModule{closed: f.closed}
	for i, line := range strings.Split(string(code.Bytes), "\n") {
		at := i + max(code.Line, 1)
		if column := strings.Index(line, "syntax error"); column >= 0 {
			return nil, &runtime.Failure{
				Kind: runtime.KindCompile, Message: "unexpected word", Hint: "mend it",
				File: code.Name, Line: at, Column: column + 1,
			}
		}
		if column := strings.Index(line, "counter"); column >= 0 {
			m.warnings = append(m.warnings, runtime.Warning{
				Code: "module-state", Message: "counter lives per worker", Hint: "say state: fresh",
				File: code.Name, Line: at, Column: column + 1,
			})
		}
	}
	if code.Path != "" && bytes.Contains(code.Bytes, []byte("not a module")) {
		return nil, &runtime.Failure{Kind: runtime.KindCompile, Message: "this is no wasm module"}
	}
	return m, nil
}

type testModule struct {
	warnings []runtime.Warning
	closed   *int
}

func (m *testModule) Digest() string              { return "sha256:00" }
func (m *testModule) Warnings() []runtime.Warning { return m.warnings }
func (m *testModule) Instantiate(context.Context, runtime.Host) (runtime.Transform, error) {
	panic("a plan runs nothing")
}

func (m *testModule) Close() error {
	if m.closed != nil {
		*m.closed++
	}
	return nil
}

// testCatalog is a small world: sources that end and one that does not, and sinks.
func testCatalog(closed *int) Catalog {
	always := func(Config) bool { return true }
	return Catalog{
		Flavors: map[string]runtime.Flavor{
			flavorScript: testFlavor{flavorScript, closed}, flavorWasm: testFlavor{flavorWasm, closed},
		},
		Sources: map[string]Spec{
			"file": {
				Doc:    "Reads the lines of a file.",
				Finite: func(c Config) bool { return c.String("mode") == "batch" },
				Reads:  func(c Config, path string) bool { return RealPath(c.String("path")) == path },
				Fields: []Field{
					{Name: "path", Type: Path, Required: true, Doc: "the file to read"},
					{Name: "mode", Type: String, Default: "batch", Enum: []string{"batch", "tail"}, Doc: "tail follows the file"},
					{Name: "max_line", Type: Size, Default: int64(1 << 20), Min: 1, Max: 1 << 30, Doc: "bytes of a line"},
				},
			},
			"stdin": {Doc: "Reads the lines of standard input.", Finite: always},
			"tick":  {Doc: "Emits at an interval.", Fields: []Field{{Name: "every", Type: DurationType, Required: true, Min: 1, Doc: "the interval"}}},
		},
		Sinks: map[string]Spec{
			"file":   {Doc: "Appends lines to a file.", Writes: "path", Fields: []Field{{Name: "path", Type: Path, Required: true, Doc: "the file to write"}, {Name: "append", Type: Bool, Default: true, Doc: "false starts anew"}}},
			"stdout": {Doc: "Writes lines to standard output."},
			"drop":   {Doc: "Writes nothing."},
		},
		Codecs: []string{"json", "raw"},
	}
}

func testOptions(env map[string]string) LoadOptions {
	return LoadOptions{
		Catalog: testCatalog(nil),
		Env:     func(name string) (string, bool) { v, ok := env[name]; return v, ok },
	}
}
