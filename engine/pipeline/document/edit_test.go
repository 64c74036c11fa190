package document

import (
	"bytes"
	"strings"
	"testing"
)

var editSettings = []Setting{{"fuel", "4_200"}, {"memory", "16MiB"}}

// Proves that an edit changes what it must and no other byte, in every form in which a
// mapping can be written, and refuses the forms that it does not understand.
func TestEdit(t *testing.T) {
	for name, c := range map[string]struct{ text, want, fault string }{
		"flow": {text: "n:\n  e: # c\n    budget: {fuel: 200_000, timeout: 200ms}   # tuned\n    script: {}\n",
			want: "n:\n  e: # c\n    budget: {memory: 16MiB, fuel: 4_200, timeout: 200ms}   # tuned\n    script: {}\n"},
		"flow over lines": {text: "n:\n  e:\n    budget: {\n      fuel: 1, # one\n      memory: 1MiB,\n    }\n",
			want: "n:\n  e:\n    budget: {\n      fuel: 4_200, # one\n      memory: 16MiB,\n    }\n"},
		"block": {text: "n:\n  e:\n    budget:\n      # the time\n      timeout: 1s # why\n      fuel: 10\n    x: 1\n",
			want: "n:\n  e:\n    budget:\n      # the time\n      memory: 16MiB\n      timeout: 1s # why\n      fuel: 4_200\n    x: 1\n"},
		"none": {text: "# top\nn:\n  e:\n    from: [a] # ä€\n    script: {file: e.ts}\n  f: {from: [e]}\n",
			want: "# top\nn:\n  e:\n    from: [a] # ä€\n    budget: {fuel: 4_200, memory: 16MiB}\n    script: {file: e.ts}\n  f: {from: [e]}\n"},
		"none, in front of a comment": {text: "n:\n  e:\n    from: [a]\n    # the code\n    script: {file: e.ts}\n",
			want: "n:\n  e:\n    budget: {fuel: 4_200, memory: 16MiB}\n    from: [a]\n    # the code\n    script: {file: e.ts}\n"},
		"none, flow node": {text: "n: {e: {from: [ä], script: {file: e.ts}}}\n",
			want: "n: {e: {from: [ä], budget: {fuel: 4_200, memory: 16MiB}, script: {file: e.ts}}}\n"},
		"empty":  {text: "n:\n  e:\n    budget: {}\n", want: "n:\n  e:\n    budget: {fuel: 4_200, memory: 16MiB}\n"},
		"null":   {text: "n:\n  e:\n    budget: null # later\n", want: "n:\n  e:\n    budget: {fuel: 4_200, memory: 16MiB} # later\n"},
		"quoted": {text: "n: {e: {budget: {\"fuel\": 1, 'memory': '2MiB'}}}\n", want: "n: {e: {budget: {\"fuel\": 4_200, 'memory': 16MiB}}}\n"},
		"crlf":   {text: "n:\r\n  e:\r\n    budget: {fuel: 1, memory: 1MiB}\r\n", want: "n:\r\n  e:\r\n    budget: {fuel: 4_200, memory: 16MiB}\r\n"},
		"mark":   {text: "\xEF\xBB\xBFn: {e: {budget: {fuel: 1, memory: 1MiB}}}\n", want: "\xEF\xBB\xBFn: {e: {budget: {fuel: 4_200, memory: 16MiB}}}\n"},
		"block scalar behind": {text: "n:\n  e:\n    budget: {fuel: 7, memory: 1B}\n    script:\n      source: |\n        budget: {fuel: 7}\n",
			want: "n:\n  e:\n    budget: {fuel: 4_200, memory: 16MiB}\n    script:\n      source: |\n        budget: {fuel: 7}\n"},
		"alias":       {text: "x: &b {fuel: 1}\nn: {e: {budget: *b}}\n", fault: "alias"},
		"anchor":      {text: "n: {e: {budget: &b {fuel: 1}}, f: {budget: *b}}\n", fault: "alias"},
		"reference":   {text: "n: {e: {budget: {fuel: \"${constants.f}\"}}}\n", fault: "change it where that comes from"},
		"nothing":     {text: "n:\n  e:\n    budget:\n    x: 1\n", fault: "has no value"},
		"escaped":     {text: "n: {e: {budget: {fuel: \"\\x31\"}}}\n", fault: "not edited"},
		"no node":     {text: "n: {f: {}}\n", fault: "n.e is no mapping"},
		"no document": {text: "n: [", fault: "edit"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Edit([]byte(c.text), []string{"n", "e", "budget"}, editSettings, "script")
			switch {
			case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
				t.Errorf("%s, %v, want %q", got, err, c.fault)
			case c.fault == "" && (err != nil || string(got) != c.want):
				t.Errorf("%v\n%q\n%q", err, got, c.want)
			}
		})
	}
}

// Proves that no text makes an edit panic, that what is edited can be edited again to the same,
// and that lines which an edit does not touch stay.
func FuzzEdit(f *testing.F) {
	f.Add([]byte("n:\n  e:\n    budget: {fuel: 1}\n    script: {}\n"))
	f.Add([]byte("n: {e: {script: {}, from: [a]}} # c\n"))
	f.Add([]byte("n:\n  e:\n    # c\n    script: x\n    budget:\n      fuel: 1 # d\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		out, err := Edit(text, []string{"n", "e", "budget"}, editSettings, "script")
		if err != nil {
			return
		}
		again, err := Edit(out, []string{"n", "e", "budget"}, editSettings, "script")
		if err != nil || !bytes.Equal(out, again) {
			t.Fatalf("%v\n%q\n%q\n%q", err, text, out, again)
		}
		comment := []byte(" #") // outside of quotes, which the check leaves out
		if !bytes.ContainsAny(text, "\"'") && bytes.Count(out, comment) != bytes.Count(text, comment) {
			t.Fatalf("a comment is lost\n%q\n%q", text, out)
		}
	})
}
