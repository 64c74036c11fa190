package script

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"

	"github.com/leat-run/leat/runtime"
)

// FuzzScript generates scripts from a grammar of statements, expressions and every
// built-in there is, and proves of each: the process lives; the end is a value or a failure
// with a kind; what ran kept to its budget; two instances agree on output and fuel; no
// primordial changed; and the next message is fine.
func FuzzScript(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 60 {
		choices := make([]byte, 40+r.IntN(400))
		for i := range choices {
			choices[i] = byte(r.Uint32())
		}
		f.Add(choices)
	}
	flavor := New(Options{})
	f.Fuzz(func(t *testing.T, choices []byte) {
		g := &grammar{choices: choices[:min(len(choices), 2000)]}
		checkGenerated(t, flavor, g.script())
	})
}

// fuzzTimeout keeps an input, which runs up to four messages, below the ten seconds after which
// the fuzz engine takes a target for stuck.
const fuzzTimeout = 2 * time.Second

func fuzzSettings(flavor *Flavor) runtime.Settings {
	s := runtime.Settings{Budget: flavor.Defaults(), State: runtime.StateReuse, Integers: "error"}
	s.Budget.Fuel, s.Budget.Timeout, s.Budget.Memory, s.Budget.Stack, s.Budget.Output = 200_000, fuzzTimeout, 32<<20, 100, 1<<20
	return s
}

func checkGenerated(t *testing.T, flavor *Flavor, source string) {
	settings := fuzzSettings(flavor)
	compiled, err := flavor.Compile(context.Background(), runtime.Code{Name: "t.js", Path: "/t.js", Dir: "/", Bytes: []byte(source)}, settings)
	var failure *runtime.Failure
	if err != nil {
		if !errors.As(err, &failure) {
			t.Fatalf("compile: %v\n%s", err, source)
		}
		return
	}
	var outcomes [2]string
	for i := range outcomes {
		outcomes[i] = runGenerated(t, compiled.(*module), settings.Budget, source)
	}
	for i := range outcomes { // goja puts addresses into the message of one TypeError, which a script can read
		outcomes[i] = address.ReplaceAllString(outcomes[i], "0x")
	}
	if outcomes[0] != outcomes[1] && outcomes[0] != sampled && outcomes[1] != sampled {
		t.Fatalf("two instances differ: %s\n%s\n%s", outcomes[0], outcomes[1], source)
	}
}

var address = regexp.MustCompile(`0x[0-9a-f]{6,}`)

// sampled is the outcome of a script whose end the clock decided.
const sampled = "timeout or memory"

func runGenerated(t *testing.T, m *module, budget runtime.Budget, source string) (outcome string) {
	in, err := m.instantiate(context.Background(), runtime.Host{})
	if err != nil {
		t.Fatalf("instantiate: %v\n%s", err, source)
	}
	defer in.Close()
	before := realmState(in)
	message := runtime.Message{ID: "m", Codec: "json", Payload: []byte(`{"a":[1,2.0,"x",null],"o":{"n":9007199254740993}}`)}
	r, err := in.Apply(context.Background(), message)
	var failure *runtime.Failure
	switch {
	case err == nil:
		size := 0
		outcome = fmt.Sprint("value ", r.Usage.Fuel, " ", r.Null)
		for _, m := range r.Out {
			size += len(m.Payload)
			outcome += " " + string(m.Payload)
		}
		if r.Usage.Fuel > budget.Fuel || int64(size) > budget.Output {
			t.Fatalf("fuel %d, %d bytes out\n%s", r.Usage.Fuel, size, source)
		}
	case !errors.As(err, &failure):
		t.Fatalf("no failure: %v\n%s", err, source)
	case !slices.Contains(runtime.Kinds(), failure.Kind) || failure.Kind == runtime.KindOther:
		t.Fatalf("kind %q: %v\n%s", failure.Kind, failure, source)
	case failure.Kind == runtime.KindTimeout || failure.Kind == runtime.KindMemory:
		outcome = sampled
	default:
		outcome = fmt.Sprint(failure.Kind, " ", r.Usage.Fuel, " ", failure.Message)
	}
	if in.Spent() != runtime.RecycleNone {
		return outcome
	}
	if after := realmState(in); !reflect.DeepEqual(before, after) {
		t.Fatalf("a primordial changed\n%s", source)
	}
	r, err = in.Apply(context.Background(), runtime.Message{ID: "m", Codec: "json", Payload: []byte(`{"ok":true}`)})
	if err != nil || len(r.Out) != 1 || string(r.Out[0].Payload) != `{"ok":true}` {
		t.Fatalf("the next message: %v, %v\n%s", r.Out, err, source)
	}
	return outcome
}

// realmState lists every property of every object that can be reached from the global one,
// with its value or its identity.
func realmState(in *instance) (state []string) {
	in.begin(runtime.Message{})
	roots := []*goja.Object{in.vm.GlobalObject()}
	for _, name := range in.vm.GlobalObject().GetOwnPropertyNames() {
		if o, ok := in.vm.Get(name).(*goja.Object); ok {
			roots = append(roots, o)
		}
	}
	_, objects := in.explore(roots)
	objects = append(objects, in.vm.GlobalObject())
	for i, o := range objects {
		for _, s := range in.ownSteps(o, i) {
			d := in.descriptor(o, &s)
			line := fmt.Sprintf("%p %s %p", o, s.name, s.symbol)
			for _, part := range []string{"value", "get", "set", "writable", "configurable"} {
				if child, ok := d.Get(part).(*goja.Object); ok {
					line += fmt.Sprintf(" %p", child)
				} else if v := d.Get(part); v != nil {
					if _, isSymbol := v.(*goja.Symbol); !isSymbol {
						line += " " + v.String()
					}
				}
			}
			state = append(state, line)
		}
	}
	return state
}

// grammar turns bytes into a script: each byte is a choice; where they end, the simplest one
// is taken.
type grammar struct {
	choices []byte
	depth   int
	vars    int
	loops   int
}

func (g *grammar) pick(n int) int {
	if len(g.choices) == 0 {
		return 0
	}
	c := int(g.choices[0])
	g.choices = g.choices[1:]
	return c % n
}

func (g *grammar) one(of ...string) string { return of[g.pick(len(of))] }

func (g *grammar) script() string {
	var b strings.Builder
	b.WriteString("let m0 = [1, 2, 3]; const m1 = {};\nexport default (msg, ctx) => {\n\tif (msg.payload.ok) return msg;\n\tlet v0 = msg.payload, v1 = [3, 1, 2], v2 = 'text', v3 = {a: 1};\n")
	g.vars = 4
	for range 1 + g.pick(12) {
		b.WriteString("\ttry { " + g.statement() + " } catch (e) {}\n") // an early TypeError would end most of them
	}
	b.WriteString("\treturn " + g.one("msg", "{v: "+g.expression()+"}", "{payload: "+g.expression()+"}", g.expression(), "[msg, msg]", "null") + ";\n}\n")
	return b.String()
}

func (g *grammar) statement() string {
	if g.depth++; g.depth > 6 {
		g.depth--
		return ";"
	}
	defer func() { g.depth-- }()
	e, s := g.expression, g.statement
	switch g.pick(18) {
	case 0, 1, 2:
		return e() + ";"
	case 3, 4:
		return g.variable() + " " + g.one("=", "+=", "*=", "??=", "||=") + " " + e() + ";"
	case 5:
		return "if (" + e() + ") { " + s() + " } else { " + s() + " }"
	case 6:
		g.loops++
		return fmt.Sprintf("for (let i%d = 0; %s; i%d++) { %s }", g.loops, g.one("i"+fmt.Sprint(g.loops)+" < 10", "true", e()), g.loops, s())
	case 7:
		return "for (const x of " + e() + ") { " + s() + g.one("", "break;", "continue;") + " }"
	case 8:
		return "for (const x in " + e() + ") { " + s() + " }"
	case 9:
		return "try { " + s() + " } catch (e) { " + s() + " } finally { " + s() + " }"
	case 10:
		return "while (" + e() + ") { " + s() + g.one("break;", "") + " }"
	case 11:
		return "throw " + e() + ";"
	case 12:
		return g.member() + " = " + e() + ";"
	case 13:
		return "delete " + g.member() + ";"
	case 14:
		return "(function f(n) { if (n > 0) f(n - 1); " + s() + " })(" + e() + ");"
	case 15:
		return "{ const " + g.one("[a, ...b]", "{a, ...b}", "[a = 1]", "{a: {b = 2} = {}}") + " = " + e() + "; }"
	case 16:
		return "(async () => { await " + e() + "; " + s() + " })();"
	default:
		return "msg.payload" + g.one(".k", "['x' + v1.length]", ".a[0]", ".o.n", ".a.length") + " = " + e() + ";"
	}
}

func (g *grammar) variable() string {
	return g.one("v0", "v1", "v2", "v3", "m0")
}

func (g *grammar) member() string {
	return g.one("v0", "v1", "v3", "m1", "msg.payload", "msg.meta", "globalThis", g.builtin(), "Object.prototype", "Array.prototype", "Map.prototype") +
		g.one(".a", "[0]", ".length", "["+g.expression()+"]", ".constructor", ".x", ".toString", "[Symbol.iterator]", ".__proto__")
}

func (g *grammar) expression() string {
	if g.depth++; g.depth > 6 {
		g.depth--
		return "1"
	}
	defer func() { g.depth-- }()
	e := g.expression
	switch g.pick(26) {
	case 0, 1, 2:
		return g.variable()
	case 3:
		return g.one("0", "-1", "1e9", "2**53", "4294967295", "0.5", "NaN", "1e21", "65536")
	case 4:
		return g.one("''", "'abc'", "'\\ud800'", "'é😀'", "'x'.repeat(1000)", "'['", "'a,b'", "'$&$1'")
	case 5:
		return g.one("null", "undefined", "true", "Symbol.iterator", "msg", "msg.payload", "ctx", "this", "x => x", "() => v1")
	case 6:
		return "[" + e() + ", " + g.one("", "...") + e() + "]"
	case 7:
		return "({a: " + e() + ", " + g.one("b: ", "...", "['k']: ", "__proto__: ") + e() + "})"
	case 8:
		return "({" + g.one("get a() { ", "toString() { ", "valueOf() { ", "toJSON() { ", "[Symbol.toPrimitive]() { ", "then(r) { r(1); ", "next() { ") + g.statement() + " return " + e() + " }})"
	case 9:
		return "({[Symbol.iterator]: () => ({next: " + g.one("() => ({value: 1, done: false})", "() => ({done: true})", g.builtin(), "Object") + "})})"
	case 10:
		return "(" + e() + " " + g.one("+", "-", "*", "/", "%", "**", "<<", ">>>", "&", "===", "<", "in", "instanceof", "&&", "??", ",") + " " + e() + ")"
	case 11:
		return "(" + g.one("!", "-", "+", "~", "typeof ", "void ") + e() + ")"
	case 12:
		return "`a${" + e() + "}b${" + e() + "}`"
	case 13:
		return g.one("/a+/", "/(a|b)*c/g", "/(?=a)b/", "/(a)\\1/y", "/./gu", "/^$/m", "/(?<n>x)/i", "new RegExp("+e()+")")
	case 14:
		return g.member()
	case 15:
		return "new " + g.one("Set", "Map", "Date", "Error", "Array", "WeakMap", "Promise", "String", "AggregateError", "(class extends Array {})", "(class { x = "+e()+"; static { "+g.statement()+" } })") + "(" + e() + ")"
	case 16:
		return "(" + g.one("function* () { yield ", "async function () { return ", "function () { return ") + e() + " })()"
	case 17:
		return "(" + e() + " ? " + e() + " : " + e() + ")"
	case 18:
		return e() + "?." + g.one("a", "length", "map(x => x)", "toString()", "at(-1)", "join('-')")
	case 19, 20, 21:
		return g.builtin() + g.one("", ".bind(null)") + "(" + e() + ", " + g.one("", "...") + e() + ")"
	default:
		return g.builtin() + ".call(" + e() + ", " + e() + ", " + g.one("x => x", "(a, b) => a", g.builtin(), e()) + ")"
	}
}

// callable are the paths of all built-ins that a script can name.
var callable = func() (paths []string) {
	all := append(names(constant), names(ours)...)
	for _, c := range charged {
		owner, list, _ := strings.Cut(c.names, ":")
		for name := range strings.FieldsSeq(list) {
			all = append(all, strings.TrimPrefix(strings.TrimSpace(owner)+"."+name, "."))
		}
	}
	for _, path := range all {
		if !strings.ContainsAny(path, " [") && !strings.HasPrefix(path, "iterator") && !strings.HasPrefix(path, "generator") &&
			!strings.Contains(path, "TypedArray") && !strings.Contains(path, "BigInt") && !strings.Contains(path, "Buffer") && !strings.Contains(path, "DataView") &&
			!strings.HasSuffix(strings.SplitN(path, ".", 2)[0], "Array") || strings.HasPrefix(path, "Array") && !strings.ContainsAny(path, " [") && !strings.HasPrefix(path, "ArrayBuffer") {
			paths = append(paths, path)
		}
	}
	return paths
}()

func (g *grammar) builtin() string {
	i := g.pick(256)<<8 | g.pick(256)
	return callable[i%len(callable)]
}
