package codec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/leat-run/leat/runtime"
)

// What a path names is masked, in lists on the way too, under every spelling of a key and
// each time that a key is repeated; every other byte stays. What cannot be read is masked whole.
func TestRedactPayload(t *testing.T) {
	for _, c := range []struct{ paths, in, want string }{
		{"", `{"card":1}`, `{"card":1}`},
		{"payload.card", `{"card": "4111", "n":1.0}`, `{"card": "***", "n":1.0}`},
		{"card", `{"n":{"card":1},"card":{"number":1}}`, `{"n":{"card":1},"card":"***"}`},
		{"payload.card.number", `{"card":{"number":1,"name":"x"}}`, `{"card":{"number":"***","name":"x"}}`},
		{"payload.card.number", `{"card":"4111"}`, `{"card":"4111"}`},
		{"payload.lines.price", `{"lines":[{"price":1,"n":2},[{"price":3}],4,{}]}`, `{"lines":[{"price":"***","n":2},[{"price":"***"}],4,{}]}`},
		{"payload.lines", `{"lines":[1,[2]] , "x":[]}`, `{"lines":"***" , "x":[]}`},
		{"payload.a payload.b.c", ` [ {"a":1,"b":{"c":2}} ] `, ` [ {"a":"***","b":{"c":"***"}} ] `},
		{"payload.card", `{"c\u0061rd":1,"card":2,"card":3}`, `{"c\u0061rd":"***","card":"***","card":"***"}`},
		{"payload.card payload.card.x", `{"card":{"x":1}}`, `{"card":"***"}`},
		{"payload", `{"a":1}`, Mask},
		{"payload.card", `"text"`, `"text"`},
		{"payload.card", `not json`, Mask},
		{"payload.card", `{"card":"41`, Mask},
		{"payload.card", ``, Mask},
		{"meta.token", `not json`, `not json`},
		{"payload.card", `{"":0,"card":""}`, `{"":0,"card":"***"}`},
	} {
		in := []byte(c.in)
		got := NewRedactor(strings.Fields(c.paths)).Payload(in)
		if string(got) != c.want || string(in) != c.in {
			t.Errorf("%s of %s:\n got %s\nwant %s", c.paths, c.in, got, c.want)
		}
	}
}

// Meta entries are masked in a copy; names may have dots.
func TestRedactMeta(t *testing.T) {
	r := NewRedactor([]string{"meta.token", "meta.leat.key", "meta"})
	m := runtime.Message{Payload: []byte(`{"meta":1,"token":2}`), Meta: runtime.Meta{"token": "x", "leat.key": "k", "a": "b"}}
	got := r.Message(m)
	if fmt.Sprint(got.Meta) != "map[a:b leat.key:*** token:***]" || m.Meta["token"] != "x" {
		t.Errorf("meta %v, was %v", got.Meta, m.Meta)
	}
	if string(got.Payload) != `{"meta":"***","token":2}` {
		t.Errorf("payload %s", got.Payload)
	}
	if meta := (runtime.Meta{"a": "b"}); fmt.Sprint(r.Meta(meta)) != fmt.Sprint(meta) || r.Meta(nil) != nil {
		t.Error("nothing to mask changed something")
	}
}

// However hostile the payload: what is redacted reads as the payload with the values masked, and
// redacting it again finds nothing more.
func FuzzRedact(f *testing.F) {
	for _, seed := range []string{`{"a":{"b":1}}`, `[{"a":[{"b":"x"}]}]`, `{"a":{"b":{"b":1}},"b":2}`, `{"\u0061":{"b":0}}`, `{"a":[[{"b":[1]}],{"b":2.50,"a":{"b":1}}],"a":{"b":null}}`, `"a`, ` [ ] `} {
		f.Add([]byte(seed))
	}
	r := NewRedactor([]string{"payload.a.b"})
	f.Fuzz(func(t *testing.T, in []byte) {
		got := r.Payload(in)
		var masked any = strings.Trim(Mask, `"`)
		if _, err := (JSON{}).Decode(in); err == nil {
			masked = maskAt(unmarshal(t, in), "a", "b")
		}
		if !reflect.DeepEqual(unmarshal(t, got), masked) {
			t.Fatalf("%q became %q", in, got)
		}
		if again := r.Payload(got); !bytes.Equal(again, got) {
			t.Fatalf("%q became %q and then %q", in, got, again)
		}
	})
}

// unmarshal reads a text whose numbers stay as they are written.
func unmarshal(t *testing.T, text []byte) (v any) {
	t.Helper()
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	if err := in.Decode(&v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}

// maskAt is redaction in a few lines: a path through objects, lists looked into.
func maskAt(v any, path ...string) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = maskAt(v[i], path...)
		}
	case map[string]any:
		below, ok := v[path[0]]
		if ok && len(path) == 1 {
			v[path[0]] = strings.Trim(Mask, `"`)
		} else if ok {
			v[path[0]] = maskAt(below, path[1:]...)
		}
	}
	return v
}
