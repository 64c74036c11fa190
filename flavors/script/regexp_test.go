package script

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// TestMeaning proves that what is ours in place of goja's means what JavaScript says: regular
// expressions on both engines and through every method, and the built-ins that pay. Each
// file has an expression and its JSON text by turns.
func TestMeaning(t *testing.T) {
	for file, least := range map[string]int{"regexp": 120, "builtins": 90} {
		t.Run(file, func(t *testing.T) { meaning(t, "testdata/"+file+".txt", least) })
	}
}

func meaning(t *testing.T, file string, least int) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cases := strings.Split(strings.TrimSpace(string(text)), "\n\n")
	var source strings.Builder
	source.WriteString("const cases = [\n")
	for _, c := range cases {
		expression, _, _ := strings.Cut(c, "\n")
		source.WriteString("() => " + expression + ",\n")
	}
	source.WriteString("]\nexport default (msg) => { let v; try { v = JSON.stringify(cases[msg.payload]()) } catch (e) { v = e.name } return {v: v ?? 'undefined'} }")
	w := load(t, source.String())
	for i, c := range cases {
		expression, want, _ := strings.Cut(c, "\n")
		got, err := one(w, indexName(i))
		if want = `{"v":` + string(appendQuoted(nil, want)) + "}"; got != want || err != nil {
			t.Errorf("%s\n got  %s (%v)\n want %s", expression, got, err, want)
		}
	}
	if len(cases) < least {
		t.Errorf("only %d cases", len(cases))
	}
}

// TestRegexpRefused proves that a pattern which is not offered is refused at its place,
// as a literal and in a constructor call, and throws where it is made at run time.
func TestRegexpRefused(t *testing.T) {
	for source, place := range map[string]string{
		`export default () => /a\p{L}/u.test('x')`:                                "t.ts:1:22",
		"export default () => {\n  return 'x'.match(/[\\P{Lu}]/u) }":              "t.ts:2:20",
		`export default () => new RegExp('\\p{L}', 'u')`:                          "t.ts:1:33",
		`export default () => /(?i:a)/`:                                           "t.ts:1:22",
		`export default () => /a/v`:                                               "t.ts:1:2",
		`export default () => /(?:abcdefghijklmnopqrstuvwxyz){1000}/`:             "t.ts:1:22",
		`export default () => /` + strings.Repeat("(", 500) + `/`:                 "t.ts:1:",
		`export default () => new RegExp('(?=(a{1,100}){1,1000000000}[', 'g')`:    "t.ts:1:33",
		`const g = 1; export default () => RegExp("(?<n>a)\\k<m>").test("a" + g)`: "t.ts:1:42",
	} {
		_, err := tryLoad(source)
		var f *runtime.Failure
		if !errors.As(err, &f) || f.Kind != runtime.KindCompile || !strings.HasPrefix(f.Place(), place) {
			t.Errorf("%s: %v", source, err)
		}
	}
	w := load(t, `export default (msg) => { const [source, flags, how] = msg.payload
		switch (how) { case 'match': return {m: 'a'.match(source)}; case 'search': return {m: 'a'.search(source)}; case 'matchAll': return {m: [...'a'.matchAll(source)]} }
		return {m: new RegExp(source, flags).test('a')} }`)
	for _, payload := range []string{
		`["\\p{L}","u",""]`, `["(abcdefghijklmnopqrstuvwxyz){999}","",""]`, `["(abcdefghijklmnopqrstuvwxyz){999}","","match"]`, `["(abcdefghijklmnopqrstuvwxyz){999}","","search"]`,
		`["(abcdefghijklmnopqrstuvwxyz){999}","","matchAll"]`, `["` + strings.Repeat("(", 100_000) + `","","match"]`, `["` + strings.Repeat("(?=", 100_000) + `","",""]`, `["a","d",""]`,
	} {
		_, err := one(w, payload)
		var f *runtime.Failure
		if !errors.As(err, &f) || f.Kind != runtime.KindGuest || !strings.Contains(f.Message, "SyntaxError") {
			t.Errorf("%.60s: %v", payload, err)
		}
	}
}

// TestRegexpBounds proves how each kind of pattern ends: RE2's in time linear in the text
// wherever they begin, the others at the deadline or for too long a text.
func TestRegexpBounds(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		kind   runtime.Kind // "" for none
	}{
		"RE2":                      {`return {v: /^(a+)+$/.test('a'.repeat(50000)+'!')}`, ""},
		"RE2 sticky":               {`const r=/(a+)+$/y;r.lastIndex=1;return {v: r.test('a'.repeat(50000)+'!')}`, ""},
		"RE2 global":               {`const r=/(a+)+$/g;r.lastIndex=1;return {v: r.test('a'.repeat(50000)+'!')}`, ""},
		"RE2 beyond ASCII":         {`return {v: ('a'.repeat(50000)+'!é').match(/(a+)+$/g)}`, ""},
		"RE2 with context":         {`const r=/\b(a+)+$/g;r.lastIndex=1;return {v: r.test(' '+'a'.repeat(50000)+'!')}`, ""},
		"not \\S":                  {`return {v: /([\s\S]+)+!$/.test('a'.repeat(50000))}`, ""},
		"no silent false negative": {`const re=/(a|b)*c/g;re.lastIndex=1;if(!re.test('ab'.repeat(60000)+'c')) throw 1; return {}`, ""},
		"look-ahead":               {`return {v: /^(?=(a+)+$)a/.test('a'.repeat(34)+'!')}`, runtime.KindTimeout},
		"look-ahead, RegExp":       {`return {v: new RegExp('^(?=(a+)+$)a').test('a'.repeat(34)+'!')}`, runtime.KindTimeout},
		"look-ahead, match":        {`return {v: ('a'.repeat(34)+'!').match('^(?=(a+)+$)a')}`, runtime.KindTimeout},
		"look-ahead, matchAll":     {`return {v: [...('a'.repeat(34)+'!').matchAll('^(?=(a+)+$)a')]}`, runtime.KindTimeout},
		"look-ahead, search":       {`return {v: ('a'.repeat(34)+'!').search('^(?=(a+)+$)a')}`, runtime.KindTimeout},
		"look-ahead, replace":      {`return {v: ('a'.repeat(34)+'!').replace(/^(?=(a+)+$)a/, '')}`, runtime.KindTimeout},
		"look-ahead, replaceAll":   {`return {v: ('a'.repeat(34)+'!').replaceAll(/^(?=(a+)+$)a/g, '')}`, runtime.KindTimeout},
		"look-ahead, split":        {`return {v: ('a'.repeat(34)+'!').split(/^(?=(a+)+$)a/)}`, runtime.KindTimeout},
		"back-reference":           {`return {v: /^(a+)+\1$/.test('a'.repeat(40)+'!')}`, runtime.KindTimeout},
		"subclass":                 {`class R extends RegExp {} return {v: new R('^(?=(a+)+$)a').test('a'.repeat(34)+'!')}`, runtime.KindTimeout},
		"caught":                   {`try { /^(?=(a+)+$)a/.test('a'.repeat(34)+'!') } catch (e) {} return {}`, runtime.KindTimeout},
		"16 KiB look-ahead":        {`return {v: /a(?=b)/.test('a'.repeat(16384))}`, ""},
		"longer look-ahead":        {`return {v: /a(?=b)/.test('a'.repeat(16385))}`, runtime.KindInput},
		"longer back-reference":    {`return {v: 'a'.repeat(16385).replace(/(a)\1/g, 'b')}`, runtime.KindInput},
		"deep backtracking":        {`return {v: /^(?:(?=(a))(?=(a))(?=(a))(?=(a))(?=(a))(?=(a))(?=(a))(?=(a))(?=(a))(?=(a))(?=(a))(?=(a))(?:a|b))*c/.test('a'.repeat(16000))}`, runtime.KindMemory},
		"many short matches":       {`return {n: 'ab'.repeat(100000).replace(/a/g, '').length}`, ""},
		"quadratic scan":           {`return {n: 'a'.repeat(400000).replace(/a(?:.*z)?/g, '').length}`, runtime.KindTimeout},
		"$' squares":               {`return {n: 'x'.repeat(1e5).replaceAll('x', "$'").length}`, runtime.KindMemory},
		"$` squares":               {"return {n: 'x'.repeat(1e5).replace(/x/g, '$`').length}", runtime.KindMemory},
	} {
		t.Run(name, func(t *testing.T) {
			w := load(t, "export default (msg) => { if (msg.payload.ok) return msg;\n"+c.source+" }", func(s *runtime.Settings) {
				if s.Budget.Timeout = 30 * time.Second; c.kind == runtime.KindTimeout {
					s.Budget.Timeout = 300 * time.Millisecond
				}
			})
			_, err := one(w, `{}`)
			var f *runtime.Failure
			if errors.As(err, &f); err != nil && f == nil || (f == nil) != (c.kind == "") || f != nil && f.Kind != c.kind {
				t.Errorf("%v, want kind %q", err, c.kind)
			}
			if got, err := one(w, `{"ok":1}`); got != `{"ok":1}` {
				t.Errorf("the next message: %s, %v", got, err)
			}
		})
	}
}
