package script

import (
	"context"
	"errors"
	"strings"
	"testing"

	esbuild "github.com/evanw/esbuild/pkg/api"

	"github.com/leat-run/leat/runtime"
)

// sourceSeeds are sources with what a reader of JavaScript can trip over.
var sourceSeeds = []string{
	"export default (msg) => msg", "export default function (m: {a?: number}): unknown { return {...m, a: m.a ?? 1} }",
	"const r = /[/\\]]\\/(?<n>x)/giu, t = `a${`b${1}`}\n`; export default () => t.replace(r, '$<n>')",
	"let a = 'x\\\ny', b = \"\\u{1F600}\"; /* \n */ // c\nif (a) /x/.test(b); else { } /y/\nexport default () => a / b / 1",
	"import x from './x.js'; import './y.json'; export * from 'z'; export default x", "export default async function* () { yield* await 1 }",
	"@d class A { static { } #p = 1; get [`k`]() { return this.#p } } export default A", "export default <T,>(a: T) => <any>a; enum E { A = 1 << 2 }",
	"eval('1'); new Function('2'); 1n; new Proxy({}, {}); export default 1", "export { a as default }; var a; var \u2028 b\r c", "(((((", "}}}", "`${", "/", "'\\", "/[", "<!--\n-->", "#!x\nexport default 1",
	"//# sourceMappingURL=/dev/zero\nexport default (m) => m",
}

// FuzzPrescan proves that no bytes make the scan of a source panic or stand still, and that it
// always knows on which line and column it is.
func FuzzPrescan(f *testing.F) {
	for _, seed := range sourceSeeds {
		f.Add(seed)
	}
	f.Add(strings.Repeat("[`${", maxNesting) + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		s := newScanner(text)
		for s.pos < len(text) && s.fault == nil {
			before := s.pos
			if s.token(); s.pos <= before && s.fault == nil {
				t.Fatalf("%q: byte %d is read again", text, before)
			}
			if s.pos > len(text) {
				t.Fatalf("%q: read up to %d of %d", text, s.pos, len(text))
			}
			if read := text[:s.pos]; s.line != 1+strings.Count(read, "\n") || s.start != strings.LastIndexByte(read, '\n')+1 {
				t.Fatalf("%q: byte %d is on line %d, which starts at %d", text, s.pos, s.line, s.start)
			}
		}
	})
}

// hidden are texts behind which a reader of JavaScript that errs takes brackets for text.
var hidden = []string{
	"// \r", "// \u2028", "// \u2029", "var a = 'x\\\r\ny', b = ", "<!-- `\n", "0\n--> `\n", "#!`\n", "var x; x++ / ", "var x; x\n++ /'/.y; ", "x = a! / ", "1./ ", "x.if(y) / ",
	"x. if (y) / ", "export default /`/; ", "class A extends /`/.constructor {}; ", "for await (x of y) /`/; ", "do x; while (y) /`/; ", "debugger\n/`/; ", "let x\n/`/; ", "import 'x'\n/`/; ",
	"x = {} / ", "x = function () {} / 1 / '/ '; ", "{} /'/ ' + ", "function f() {} /`/; ", "yield /1/", "of / '/ '", "x = \u00a0/`/; ", "x = \v/`/; ", "x\\u{61} / ", "a\n/ 'x' / `", "x > /`/; ",
	"...[.../`/]; ", "x?.in / ", "x.#if(y) / ", "`${`${'`'}`}`; ", "/[/`]/; ", "x = y /* \r */ / ", "a ? /`/ : 1; ", "case /`/; ", "(a) / 1 / ", "[] / 1; ", "`` / 1; ", "new of / ", "yield /1//'\u2028", "a!/void /[`]/g; ", "a!/ + /[`]/g; ", "a!/ b! /[`]/g; ", "yield /1/*`/; ", "x as of / ", "(typeof of / ", "for (let x = y as of / 1 / ", "() => /`/; ", "if (a) {} /`/; ",
}

// nest is deeper than any source may.
const nest = 2 * maxNesting

// TestHiddenNesting proves of each of these that brackets behind it are seen where they are code.
func TestHiddenNesting(t *testing.T) {
	for _, before := range hidden {
		checkHidden(t, before, "")
		checkHidden(t, "x = 1; "+before, "")
	}
	for name, source := range map[string]string{
		"operators in brackets": strings.Repeat("("+strings.Repeat("!", 15_000), 3), "in functions": strings.Repeat("!"+strings.Repeat("~", 15_000)+"function () { return ", 3),
		"words": strings.Repeat("typeof ", 30_000), "words of another language": "let x: " + strings.Repeat("keyof ", 30_000), "statements": strings.Repeat("do ", 3_000), "for": strings.Repeat("for (;;) ", 3_000),
		"else": strings.Repeat("if (a) return; else ", 3_000), "else, in braces": strings.Repeat("if (a) { b } else ", 3_000), "statements in braces": strings.Repeat(strings.Repeat("if (a) ", 100)+"{", 30),
		"arrows": strings.Repeat("x=>", 500), "arrows on lines": strings.Repeat("x=>\n", 500), "arrows with types": strings.Repeat("<T,>(x)=>", 500),
		"arrows of choices": strings.Repeat("x=>c\n?", 500), "arrows of choices, cast": strings.Repeat("x=>c\nas any?", 500), "arrows in brackets": strings.Repeat("x=>y=>[", 210),
		"let is a name": strings.Repeat("x=>\nlet=>", 15_000), "import is a value": strings.Repeat("!import.meta**", 15_000),
	} {
		if prescan("export default () => {"+source) == nil {
			t.Errorf("%s: nothing is refused", name)
		}
	}
	if prescanMarkup("<a>`</a>;"+strings.Repeat("[", maxMarkup)) == nil {
		t.Error("markup: nothing is refused")
	}
}

// TestPrescanTakes proves that what people write is not refused.
func TestPrescanTakes(t *testing.T) {
	for _, source := range []string{
		"const ratio = total\n  / count\n  / 2;", "x = a / b + 'px/' + (c / d);", "if (a) {\n}\n/x/.test(b)", "const f = (a) => a! / 2 / (b)", "return x\n  .map((y) => y / 2)", "x = a ? /['\"`]/ : /[(]/;",
		"const a = `${b / 2}/${c / (d + 1)}`", "for (const x of /a(b)/g.exec(y)) {}", "x = y++ / (2) / (3)", "f(/[{]/, /'/)", "x = i--/2+(j)", strings.Repeat("if (a) { b() } else if (c) { d() }\n", 5000),
		strings.Repeat("const f = function () { return [1, {a: 2}] }\n", 5000), strings.Repeat("if (a) return b\n", 1500),
		"[" + strings.Repeat("x => x + 1, async (y) => y,", 2000) + "]", strings.Repeat("const f = (x) => x\n", 3000), "class A {" + strings.Repeat("a = () => 1\n", 3000) + "}", strings.Repeat("f(x => x)\n", 3000), "{" + strings.Repeat("case 1: x = {a: 1}; break\n", 5000), "[" + strings.Repeat("[1,2],", 9000) + "]",
	} {
		if f := prescan(source); f != nil {
			t.Errorf("%.60q: %+v", source, f)
		}
	}
}

// checkHidden finds brackets that the scan took for text and esbuild for code: one
// that is missing is an error to esbuild alone.
func checkHidden(t *testing.T, before, after string) {
	t.Helper()
	source := func(closed int) string {
		return before + strings.Repeat("[", nest) + "1" + strings.Repeat("]", closed) + after
	}
	if prescan(source(nest)) != nil || prescan(source(nest-1)) != nil {
		return
	}
	for _, kind := range []esbuild.Loader{esbuild.LoaderJS, esbuild.LoaderTS} {
		parses := func(closed int) bool {
			return len(esbuild.Transform(source(closed), esbuild.TransformOptions{Loader: kind, LogLevel: esbuild.LogLevelSilent}).Errors) == 0
		}
		if parses(nest) && !parses(nest-1) {
			t.Errorf("hidden by %q, in front of %q", before, after)
		}
	}
}

// fragments are what sources are made of.
var fragments = strings.Split("a|b|1|1.|.5|'|\"|`|/|/|/|/|(|)|[|]|{|}|${|;|,|.|...|?.|=|=>|+|-|++|--|!|~|<|>|<!--|-->|?|:|@|#x|\\|*|**|&&|\n|\r|\u2028|\u00a0| | |//|/*|*/|\\\r\n|"+
	"if (a) |else |for (;;) |for (x of |for await (x of |while (a) |do |try {|catch (e) {|finally {|switch (a) {case |default: |return |throw |break|continue|debugger|var |let |const |function f() {|function* g() {|async |await |yield |"+
	"class A |extends |static |get |set |new |typeof |void |delete |in |instanceof |of |import |import 'x'|export |export default |from 'x'|() => |x => {|as |as any|satisfies A|: A|<T>|type A = |interface A {|enum A {|declare |abstract |"+
	"{a: 1}|'x'|`x`|/x/|/[`]/g|(a)|[1]|a.if|a.b|a?.b|x: |keyof |infer |readonly |namespace A {|!a|a!|a++|\\u0061", "|")

// FuzzHiddenNesting proves the same of any text, and of any row of fragments behind it.
func FuzzHiddenNesting(f *testing.F) {
	for i, before := range append(hidden, sourceSeeds...) {
		f.Add(before, []byte{}, "\n'`*/")
		f.Add("", []byte{byte(i), byte(3 * i), byte(7 * i), 8, byte(5 * i), 8}, "")
	}
	f.Fuzz(func(t *testing.T, before string, row []byte, after string) {
		for _, i := range row[:min(len(row), 100)] {
			before += fragments[int(i)%len(fragments)]
		}
		if len(before)+len(after) < 1<<10 {
			checkHidden(t, before, after)
		}
	})
}

// FuzzSource proves that no text makes Compile panic, and that what it refuses it refuses as a
// failure of kind compile on a line of the text.
func FuzzSource(f *testing.F) {
	for _, seed := range sourceSeeds {
		f.Add(seed)
	}
	dir, flavor := f.TempDir(), New(Options{})
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<12 || strings.ContainsAny(text, "/.") && strings.Contains(text, "import") {
			return // no input reads the files of this machine
		}
		module, err := flavor.Compile(context.Background(), runtime.Code{Name: "t.ts", Dir: dir, Bytes: []byte(text)}, fuzzSettings(flavor))
		if err == nil {
			if err := module.Close(); err != nil {
				t.Fatal(err)
			}
			return
		}
		var failure *runtime.Failure
		if !errors.As(err, &failure) || failure.Kind != runtime.KindCompile || failure.Message == "" {
			t.Fatalf("%q: %v", text, err)
		}
		if lines := linesOfSource(text); failure.Line < 0 || failure.Line > lines || failure.Column < 0 {
			t.Fatalf("%q: line %d:%d of %d, %s", text, failure.Line, failure.Column, lines, failure.Message)
		}
	})
}

// linesOfSource counts by every line end of JavaScript.
func linesOfSource(text string) int {
	return 1 + strings.Count(strings.ReplaceAll(text, "\r\n", "\n"), "\n") + strings.Count(text, "\r") + strings.Count(text, "\u2028") + strings.Count(text, "\u2029")
}

// FuzzPattern proves that no pattern makes its compiling panic, nor the making of what matches
// from the middle of a text, and that both engines have the groups that it has names for.
func FuzzPattern(f *testing.F) {
	for _, seed := range [][2]string{
		{`a+(b|c)*?`, "g"}, {`(?<y>\d{4})-(?<m>\d\d)`, "u"}, {`(?=(a))\1`, "iy"}, {`[\S\s][^]\cA\x41\u{1F600}`, "su"}, {`\ud83d\ude00|😀`, ""},
		{`(?<!a)b(?<=b)`, "m"}, {`\k<n>(?<n>x)`, ""}, {`^$\b\B`, "m"}, {`(a{0,999}){9}`, ""}, {`[a-\d]|\p{L}`, "i"}, {`(?i:a)`, ""}, {`\`, ""}, {`[`, ""}, {`(`, "gg"}, {`x{2,1}|a**`, ""},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, source, flags string) {
		if len(source) > 1<<10 {
			return
		}
		p, fault := newPattern(source, flags)
		if fault != nil {
			if fault.message == "" || fault.offset < 0 || fault.offset > len(source) {
				t.Fatalf("/%s/%s: %+v", source, flags, fault)
			}
			return
		}
		groups := 0
		if p.program != nil {
			groups = p.program.NumSubexp()
			for _, variant := range []int{p.after().NumSubexp() - 1, p.here().NumSubexp(), p.afterHere().NumSubexp() - 1} {
				if variant != groups {
					t.Fatalf("/%s/%s: %d groups, and %d from the middle", source, flags, groups, variant)
				}
			}
		} else if other, err := p.backtracking(); err != nil {
			t.Fatalf("/%s/%s: %v", source, flags, err)
		} else {
			groups = len(other.GetGroupNumbers()) - 1
		}
		if groups != len(p.names)-1 {
			t.Fatalf("/%s/%s: %d groups, %d names", source, flags, groups, len(p.names)-1)
		}
	})
}
