package script

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/dop251/goja"

	"github.com/leat-run/leat/runtime"
)

// module is a compiled script, shared by its instances.
type module struct {
	flavor   *Flavor
	code     runtime.Code
	settings runtime.Settings
	bundle   *bundle
	program  *goja.Program
	patterns []*pattern // of the regular expressions that stand in the source
	digest   string
	warnings []runtime.Warning
	profile  *runtime.FuelProfile // nil but for a module of Profile
}

// Digest identifies the bundled code, the fuel unit and the settings.
func (m *module) Digest() string { return m.digest }

// Warnings returns what the author should know.
func (m *module) Warnings() []runtime.Warning { return m.warnings }

// Close releases nothing: programs are garbage like any other.
func (m *module) Close() error { return nil }

// maxStack is how deep calls nest, whatever the node says. To end a recursion through natives
// takes the square of its depth, which nothing interrupts: minutes at ten times as much.
const maxStack = 2000

// compile makes a module of a bundle.
func (f *Flavor) compile(ctx context.Context, code runtime.Code, settings runtime.Settings, b *bundle) (runtime.Module, error) {
	code.Bytes = nil
	if stack := settings.Budget.Stack; stack > maxStack {
		b.warned = append(b.warned, runtime.Warning{
			Code: "stack-bound", Message: fmt.Sprintf("budget.stack is %d, but calls of a script nest at most %d deep", stack, maxStack),
			Hint: fmt.Sprintf("say `stack: %d` or less", maxStack), File: code.Name,
		})
		settings.Budget.Stack = maxStack
	}
	m := &module{flavor: f, code: code, settings: settings, bundle: b, warnings: b.warned}
	m.digest = digest(b.text, code.Function+"\x00"+string(code.Entry), settings)
	if failure := m.assemble(); failure != nil {
		return nil, failure
	}
	return m, m.probe(ctx)
}

// digest hashes the code and everything that changes its results.
func digest(text, function string, settings runtime.Settings) string {
	h := sha256.New()
	part := func(b []byte) {
		sum := sha256.Sum256(b)
		h.Write(sum[:])
	}
	part([]byte(FuelVersion))
	part([]byte(text))
	part([]byte(function))
	encoded, _ := json.Marshal(settings) // plain fields: cannot fail
	part(encoded)
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// probe starts one instance, so that a missing entry point or a module body that
// throws is found at compile time and not with the first message.
func (m *module) probe(ctx context.Context) error {
	in, err := m.instantiate(ctx, runtime.Host{})
	if err != nil {
		return err
	}
	return in.Close()
}

// Instantiate makes an instance. The module body runs here.
func (m *module) Instantiate(ctx context.Context, host runtime.Host) (runtime.Transform, error) {
	return m.instantiate(ctx, host)
}
