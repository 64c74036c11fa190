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
		"carriage returns":               {text: "n: {e:\r{budget:\r          {fuel: 1}}}\n\n\n", want: "n: {e:\r{budget:\r          {memory: 16MiB, fuel: 4_200}}}\n\n\n"},
		"a place beyond the lines of LF": {text: "n: {e:\r{budget:\r          {}}}\n\n\n", want: "n: {e:\r{budget:\r          {fuel: 4_200, memory: 16MiB}}}\n\n\n"},
		"line ends of Unicode": {text: "# a\u0085n: # b\u2028  e:\u2029    budget:\r\n      fuel: 1\r    x: {}",
			want: "# a\u0085n: # b\u2028  e:\u2029    budget:\r\n      memory: 16MiB\r\n      fuel: 4_200\r    x: {}"},
		"two marks":     {text: "\uFEFF\uFEFFn: {e: {budget: {}}}\n", want: "\uFEFF\uFEFFn: {e: {budget: {fuel: 4_200, memory: 16MiB}}}\n"},
		"alias key":     {text: "x: &k fuel\nn: {e: {budget: {*k : 1}}}\n", want: "x: &k fuel\nn: {e: {budget: {memory: 16MiB, *k : 4_200}}}\n"},
		"tag":           {text: "n: {e: {budget: !!map {fuel: 1}}}\n", fault: "not edited"},
		"key twice":     {text: "n: {e: {budget: {fuel: 1, a: 2, a: 3}}}\n", want: "n: {e: {budget: {memory: 16MiB, fuel: 4_200, a: 2, a: 3}}}\n"},
		"two documents": {text: "n: {e: {budget: {}}}\n---\nn: 1\n", fault: "more than one document"},
		"over lines":    {text: "n:\n  e:\n    budget: {fuel: a\n  b}\n", fault: "not edited"},
		"complex key":   {text: "n:\n  e:\n    budget:\n      ? timeout\n      : 1s\n", fault: "change it by hand"},
		"anchored top":  {text: "&a\nn: {e: {budget: {}}, f: *a}\n", fault: "no mapping that stands there"},
		"alias":         {text: "x: &b {fuel: 1}\nn: {e: {budget: *b}}\n", fault: "alias"},
		"anchor":        {text: "n: {e: {budget: &b {fuel: 1}}, f: {budget: *b}}\n", fault: "alias"},
		"reference":     {text: "n: {e: {budget: {fuel: \"${constants.f}\"}}}\n", fault: "change it where that comes from"},
		"nothing":       {text: "n:\n  e:\n    budget:\n    x: 1\n", fault: "has no value"},
		"escaped":       {text: "n: {e: {budget: {fuel: \"\\x31\"}}}\n", fault: "not edited"},
		"no node":       {text: "n: {f: {}}\n", fault: "n.e is no mapping"},
		"no document":   {text: "n: [", fault: "edit"},
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
// and that an edit touches no more lines than it has settings.
func FuzzEdit(f *testing.F) {
	for _, seed := range []string{
		"n:\n  e:\n    budget: {fuel: 1}\n    script: {}\n", "n: {e: {script: {}, from: [a]}} # c\n",
		"n:\n  e:\n    # c\n    script: x\n    budget:\n      fuel: 1 # d\n", "n: {e: {budget: {#\nfuel: 1}}}", "n: {e: {budget: ~}}",
		"n: {e:\r{budget:\r          {}}}\n\n\n", "# a\u0085n: # b\u2028  e:\u2029    budget:\r\n      fuel: '1'\r    x: {}",
		"\uFEFF\uFEFFn: {e: {budget: {}}}\n", "x: &k fuel\nn: {e: {budget: {*k : \"1\"}}}\n", "n:\n  e:\n    budget: !!map\n      ? fuel\n      : |\n       1\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<14 {
			return
		}
		out, err := Edit(text, []string{"n", "e", "budget"}, editSettings, "script")
		if err != nil {
			return
		}
		again, err := Edit(out, []string{"n", "e", "budget"}, editSettings, "script")
		if err != nil || !bytes.Equal(out, again) {
			t.Fatalf("%v\n%q\n%q\n%q", err, text, out, again)
		}
		if n := linesLost(text, out); n > len(editSettings) {
			t.Fatalf("%d lines are lost\n%q\n%q", n, text, out)
		}
	})
}

// linesLost counts the lines of a text that are not in another one.
func linesLost(text, other []byte) int {
	left := map[string]int{}
	for line := range bytes.SplitSeq(other, []byte("\n")) {
		left[string(line)]++
	}
	lost := 0
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		if left[string(line)]--; left[string(line)] < 0 {
			lost++
		}
	}
	return lost
}
