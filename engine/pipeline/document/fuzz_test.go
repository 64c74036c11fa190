package document

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// everything is a shape with a field of every type.
func everything() *Shape {
	inner := &Shape{Noun: "inner", Fields: []Field{{Name: "n", Type: Int, Min: 1, Max: 5, Default: int64(1)}}}
	return &Shape{
		Noun: "document",
		Fields: []Field{
			{Name: "string", Type: String, Default: "a"}, {Name: "enum", Type: String, Enum: []string{"a", "b"}},
			{Name: "bool", Type: Bool}, {Name: "int", Type: Int}, {Name: "size", Type: Size}, {Name: "duration", Type: Duration, Default: time.Second},
			{Name: "path", Type: Path}, {Name: "name", Type: Name, Required: true, Doc: "say it"}, {Name: "cel", Type: Expression},
			{Name: "strings", Type: Strings, Enum: []string{"x", "y"}}, {Name: "values", Type: Values},
			{Name: "object", Type: Mapping, Shape: inner}, {Name: "named", Type: Named, Shape: inner},
			{Name: "edges", Type: Edges, Shape: inner}, {Name: "literal", Type: String, Literal: true},
			{Name: "list", Type: Mappings, Shape: inner}, {Name: "json", Type: JSON},
		},
		Choices: map[string]*Shape{"left": inner, "right": {Noun: "right"}},
		Refused: map[string]string{"middle": "there is no middle"},
	}
}

// FuzzRead proves that no text makes the reader panic, that every value has the type of its
// field whatever was written, that a text without a root has a diagnostic, and that every
// diagnostic is on a line of the text.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"", "a", "- a", "name: x\nleft: {}", "name: x\nleft: {n: 9}\nright:", "values: &a {b: *a}", "? [a]\n: b",
		"name: ${X}\nint: ${constants.n}\nsize: 1KiB\nduration: 1d", "edges: [a, b: {n: 1}, {c: {}, n: 2}]\nstrings: [x, x, z]",
		"named: {a: {n: 1}, b: , 'c d': {}}", "<<: {}\na: 1\na: 2", "literal: |\n  ${x}\n  y\ncel: >\n  a\n  b", "\xff", "\ufeffname: x", "a: !!binary x\nb: !x y",
		"{", "\t", "a: {\r\rb", "a:\u2028- 1\u0085 b", "name: %!d\nx: \"\\x25!\"", "int: |\n", "int: >\r\r\r 1", "%YAML 1.1\n---\na", "name: x\n---\nname: y", "list: [{n: 1}, 2]\njson: {a: [1.50, 0x1, ~, yes, 1_0], b: *c}", "object: [1]\nnamed: 3\nedges: {}\nvalues: 1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 {
			return
		}
		report := NewReport("f.yaml")
		r := NewReader([]byte(text), "/dir", report)
		if r == nil {
			if !report.Failed() {
				t.Error("no root and no diagnostic")
			}
			return
		}
		r.Vars = Variables{Constants: map[string]any{"n": int64(3)}, Env: func(string) (string, bool) { return "1", true }}
		shape := everything()
		o := r.Root(shape)
		o.ReadAll()
		for _, field := range shape.Fields {
			switch field.Type {
			case Int, Size:
				o.Int(field.Name)
			case Bool:
				o.Bool(field.Name)
			case Duration:
				o.Duration(field.Name)
			case Strings:
				o.Strings(field.Name)
			case Values:
				o.Values(field.Name)
			case Mapping:
				o.Object(field.Name)
			case Named, Edges, Mappings:
				o.Entries(field.Name)
			case JSON:
				if text := o.JSON(field.Name); text != nil && !json.Valid(text) {
					t.Errorf("no JSON: %s", text)
				}
			default:
				o.String(field.Name)
			}
		}
		for _, d := range report.Sorted() {
			if d.Line < 0 || d.Line > linesOf([]byte(text)).count() || d.Column < 0 || d.Code == "" || d.Message == "" {
				t.Errorf("%+v", d)
			}
			if strings.Contains(d.Message, "%!") && !strings.ContainsAny(text, `%\`) { // a name may be %!
				t.Errorf("a format without its value: %+v", d)
			}
		}
	})
}

// FuzzInsert proves that no text makes an edit panic, that words written back as they are change
// nothing, and that an inserted entry only adds bytes, to one line or between two.
func FuzzInsert(f *testing.F) {
	for _, seed := range []string{
		"a: 1\nlist:\n  x: {}\n  # c\n\n  y: 'q'\nz: \"s\"", "list: {a: [b]}\nz: 1", "list:\nz: 1", "z: |\n  list: 1\r\n", "\ufeffz: ä\nlist: ä",
		"z: 1\rlist:\r  x: {}\r  y: 'q'", "z: 1\u0085list:\u2028  x: {}\u2029\r\n# c\r\ny: 1", "list: &a\n  x: 1\nz: *a", "list: !!map {}\nz: |+\n 1\n\n",
		"list: 3\nz: 4", "{list: {}}", "list:\n\tx: 1", "", "z", "? z\n: list", "list: &a {b: *a}\nz: *a",
	} {
		f.Add([]byte(seed), "x")
	}
	f.Fuzz(func(t *testing.T, text []byte, after string) {
		if len(text) > 1<<14 {
			return
		}
		words := Words(text)
		for _, w := range words[:min(len(words), 50)] {
			same, err := Replace(text, []Word{w}, w.Value)
			if err == nil && !bytes.Equal(same, text) {
				t.Errorf("%q became %q", text, same)
			}
		}
		out, err := Insert(text, Insertion{Section: "list", Before: "z", After: after, Block: []string{"n:", "  m: 1"}, Flow: "n: {m: 1}"})
		if err == nil && (len(out) <= len(text) || !bytes.Contains(out, []byte("m: 1")) || linesLost(text, out) > 1) {
			t.Errorf("%q became %q", text, out)
		}
	})
}

// TestNearest proves which names count as a mistyped other one.
func TestNearest(t *testing.T) {
	names := []string{"decoder", "decode_all", "retries", "required", "from", "a"}
	for _, c := range []struct{ name, want string }{
		{"decodr", "decoder"}, {"Decoder", "decoder"}, {"dceoder", "decoder"}, {"retires", "retries"}, {"frm", "from"}, {"form", "from"},
		{"zzz", ""}, {"b", "a"}, {"dec", "decode_all"}, {"require", "required"}, {"", "a"}, {strings.Repeat("x", 500), ""},
	} {
		got := Nearest(c.name, func(yield func(string) bool) {
			for _, n := range names {
				if !yield(n) {
					return
				}
			}
		})
		if got != c.want {
			t.Errorf("%q: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestParseSize proves that a size is the one that is written or none, also where its bytes are more than
// 63 bits.
func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "512KiB": 512 << 10, "1_000B": 1000, "8388607TiB": 8388607 << 40,
		"8388608TiB": -1, "9223372036854775807KiB": -1, "-1B": -1, "-16777215TiB": -1, "-9223372036854775808B": -1, "-9223372036854775807KiB": -1,
	} {
		if got, ok := ParseSize(text); ok != (want >= 0) || ok && got != want {
			t.Errorf("%s: got %d, %v, want %d", text, got, ok, want)
		}
	}
}

// TestFormat proves that sizes and durations are written as they can be read.
func TestFormat(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{FormatSize(0), "0B"}, {FormatSize(1), "1B"}, {FormatSize(1536), "1536B"}, {FormatSize(2048), "2KiB"}, {FormatSize(256 << 20), "256MiB"}, {FormatSize(10 << 30), "10GiB"},
		{FormatDuration(0), "0s"}, {FormatDuration(90 * time.Second), "1m30s"}, {FormatDuration(time.Hour), "1h"}, {FormatDuration(720 * time.Hour), "720h"}, {FormatDuration(200 * time.Millisecond), "200ms"}, {FormatDuration(10 * time.Minute), "10m"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}
