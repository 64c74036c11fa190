package document

import (
	"strings"
	"testing"
)

// Proves where an entry is put, that every line end of YAML ends a line, and that what would not
// read as the document with the entry is refused.
func TestInsert(t *testing.T) {
	for name, c := range map[string]struct{ text, want, after, fault string }{
		"carriage returns":     {text: "list:\r  x: {}\rz: 1\r", after: "x", want: "list:\r  x: {}\r  n:\n    m: 1\nz: 1\r"},
		"line ends of Unicode": {text: "list: # a\u0085  x: 1\u2028z: 1\u2029\r\n", want: "list: # a\u0085  n:\r\n    m: 1\r\n  x: 1\u2028z: 1\u2029\r\n"},
		"braces over lines":    {text: "# a\rlist:\r {x: 1}\r", want: "# a\rlist:\r {n: {m: 1}, x: 1}\r"},
		"no end, no section":   {text: "\uFEFFz: 1", want: "\uFEFFlist:\n  n:\n    m: 1\n\nz: 1"},
		"no end":               {text: "z: 1\nlist:\n  x: 1", after: "x", want: "z: 1\nlist:\n  x: 1\n  n:\n    m: 1\n"},
		"empty, no end":        {text: "z: 1\nlist:", want: "z: 1\nlist:\n  n:\n    m: 1\n"},
		"kept empty lines":     {text: "z: 1\nlist:\n  x: |+\n    a\n\n", after: "x", fault: "no place"},
		"anchor":               {text: "list: &a\n  x: 1\nz: *a\n", fault: "used elsewhere"},
		"alias":                {text: "a: &a {}\nlist: *a\n", fault: "no mapping"},
		"tag":                  {text: "list: !!map {}\n", fault: "cannot be edited"},
		"no such entry":        {text: "list:\n  y: 1\n", after: "x", fault: "list has no x"},
		"there already":        {text: "? list\n: x: 1\n", fault: "no place"},
		"two documents":        {text: "list: {}\n---\nlist: {}\n", fault: "more than one"},
		"in braces":            {text: "{list: {}}\n", fault: "lines of their own"},
		"neither":              {text: "a: 1\n", fault: "neither list nor z"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Insert([]byte(c.text), Insertion{Section: "list", Before: "z", After: c.after, Block: []string{"n:", "  m: 1"}, Flow: "n: {m: 1}"})
			switch {
			case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
				t.Errorf("%q, %v, want %q", got, err, c.fault)
			case c.fault == "" && (err != nil || string(got) != c.want):
				t.Errorf("%v\n%q\n%q", err, got, c.want)
			}
		})
	}
}

// Proves that a word is replaced where it stands and nowhere else, or not at all.
func TestReplace(t *testing.T) {
	for name, c := range map[string]struct{ text, with, want, fault string }{
		"every form":       {text: "a: old\rb: 'old' # old\u0085c: {\"old\": [old]}\n", with: "new", want: "a: new\rb: 'new' # old\u0085c: {\"new\": [new]}\n"},
		"another type":     {text: "a: old\nb: 'old'\n", with: "12", want: "a: 12\nb: '12'\n"},
		"block scalar":     {text: "a: |-\n  old\n", with: "new", fault: "line 1"},
		"escaped":          {text: "a: \"\\x6fld\"\n", with: "new", fault: "line 1"},
		"anchor":           {text: "b: 1\na: &x old\n", with: "new", fault: "line 2"},
		"tag":              {text: "a: !!str old\n", with: "new", fault: "line 1"},
		"folded":           {text: "a: \"o\\\n  ld\"\n", with: "new", fault: "line 1"},
		"another document": {text: "a: old\n", with: "b: c", fault: "in place of"},
		"a quote":          {text: "a: 'old'\n", with: "it's", fault: "in place of"},
	} {
		t.Run(name, func(t *testing.T) {
			var words []Word
			for _, w := range Words([]byte(c.text)) {
				if w.Value == "old" {
					words = append(words, w)
				}
			}
			got, err := Replace([]byte(c.text), words, c.with)
			switch {
			case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
				t.Errorf("%q, %v, want %q", got, err, c.fault)
			case c.fault == "" && (err != nil || string(got) != c.want):
				t.Errorf("%v\n%q\n%q", err, got, c.want)
			}
		})
	}
}
