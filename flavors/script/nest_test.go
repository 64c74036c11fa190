package script

import (
	"errors"
	"testing"

	"github.com/leat-run/leat/runtime"
)

// Proves that built-ins which call each other without bytecode end as kind stack, that what the
// guest caught on the way does not count on, and that the next message begins at the surface.
func TestNestedBuiltins(t *testing.T) {
	w := load(t, `export default (msg) => {
	const { n, deep } = msg.payload;
	for (let i = 0; i < n; i++) try { [1].map(() => { throw i }) } catch {}
	let o = { toString: () => "x" };
	for (let i = 0; i < deep; i++) { const inner = o; o = { toString: String.prototype.concat.bind("", inner) } }
	return { text: "" + o };
}`, func(s *runtime.Settings) { s.Budget.Stack = 16 })
	for _, in := range []string{`{"n":10000,"deep":0}`, `{"n":0,"deep":50}`, `{"n":0,"deep":500}`, `{"n":10000,"deep":50}`} {
		r, err := apply(w, in)
		var f *runtime.Failure
		if in == `{"n":0,"deep":500}` {
			if !errors.As(err, &f) || f.Kind != runtime.KindStack || !f.Deterministic || f.Limit != 128 || f.Measured != 129 {
				t.Errorf("%s: %v", in, err)
			}
		} else if err != nil || string(r.Out[0].Payload) != `{"text":"x"}` {
			t.Errorf("%s: %v", in, err)
		}
	}
}

// Proves that a built-in which was bound is what it is elsewhere.
func TestBoundBuiltins(t *testing.T) {
	w := load(t, `export default () => {
	const D = Date.bind(null, 2020, 0), DD = D.bind(null, 5), E = TypeError.bind();
	const own = Function.prototype.call.bind(Object.prototype.hasOwnProperty);
	function Point(x, y) { this.x = x; this.y = y }
	const P = Point.bind(null, 1), log = console.log.bind(console);
	log("seen");
	return {
		max: Math.max.bind(null, 1)(3, 2), name: Math.max.bind(null, 1).name, length: Math.max.bind(null, 1).length,
		year: new D().getUTCFullYear(), day: new DD().getUTCDate(), is: [new Date() instanceof D, new Date() instanceof DD, {} instanceof D],
		called: typeof D(),
		text: String.bind(null, 5)(), texts: [1, 2].map(String.bind(null)), number: Number.bind(null, "4")(), names: [D.name, DD.name, DD.length],
		own: [own({ a: 1 }, "a"), own({}, "a")], slice: Function.prototype.call.bind([].slice)([1, 2, 3], 1),
		made: new (Function.prototype.bind.apply(Date, [null, 2021, 1]))().getUTCMonth(), error: [E("x") instanceof TypeError, new E("y").message],
		point: new P(2), same: new P(2) instanceof Point, set: new (Set.bind(null, [1, 1]))().size,
		bad: (() => { try { new (Math.max.bind())() } catch (e) { return e instanceof TypeError } })(),
		flags: [/a/gi.flags, String(/a/g)], json: JSON.stringify(new Date(0)), spread: [..."ab", ...[1].values()], at: [1, 2].at(-1), hint: new Date(0) + 1,
	};
}`)
	r, err := apply(w, `{}`)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"max":3,"name":"bound max","length":1,"year":2020,"day":5,"is":[true,true,false],"called":"string",` +
		`"text":"5","texts":["1","2"],"number":4,"names":["bound Date","bound bound Date",4],"own":[true,false],"slice":[2,3],` +
		`"made":1,"error":[true,"y"],"point":{"x":1,"y":2},"same":true,"set":1,"bad":true,` +
		`"flags":["gi","/a/g"],"json":"\"1970-01-01T00:00:00.000Z\"","spread":["a","b",1],"at":2,"hint":"Thu Jan 01 1970 00:00:00 GMT+0000 (UTC)1"}`
	if got := string(r.Out[0].Payload); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
