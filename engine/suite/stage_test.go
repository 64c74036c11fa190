package suite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leat-run/leat/engine/pipeline/document"
)

// stageSuite is the worked example's, with some text of it replaced.
func stageSuite(t *testing.T, replace ...string) Result {
	t.Helper()
	file, err := filepath.Abs("../../testdata/stages/fulfilment/fulfilment.test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer(replace...).Replace(string(text))
	if len(replace) > 0 && changed == string(text) {
		t.Fatalf("%q is not in the suite", replace)
	}
	s, diagnostics := parse(file, filepath.Dir(file), []byte(changed), nil, document.NewReport(file))
	if s == nil {
		t.Fatal(diagnostics)
	}
	result, err := s.Run(t.Context(), testOptions())
	if err != nil || result.Invalid() {
		t.Fatal(err, result.Diagnostics)
	}
	return result
}

// TestStageCases proves invariant 2 for stages: the worked example passes, with the same fuel each time.
func TestStageCases(t *testing.T) {
	first, second := stageSuite(t), stageSuite(t)
	if len(first.Cases) != 4 || len(first.Failed())+len(second.Failed()) > 0 {
		t.Error(first.Failed(), second.Failed())
	}
	for i, c := range first.Cases {
		if c.Fuel["fold"] != second.Cases[i].Fuel["fold"] {
			t.Errorf("%s: fuel %v, then %v", c.Name, c.Fuel, second.Cases[i].Fuel)
		}
	}
}

// TestStageDiffs proves that each expectation of a stage's case can fail, and how that reads.
func TestStageDiffs(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"delivered: []", "delivered: [payments:0:0]", "delivered (- expected, + got)\n- - payments:0:0"},
		{"paid: 30}]", "paid: 31}]", "emitted.shipments.exact (- expected, + got)"},
		{"keys: [o-1]", "keys: [o-2]", "emitted.shipments.keys (- expected, + got)"},
		{"after: [[orders:0:0, payments:0:0]]", "after: [[orders:0:0]]", "emitted.shipments.after (- expected, + got)"},
		{"count: 0", "count: 1", "emitted.shipments.count: expected 1 messages, got 0"},
		{"state: {o-1: null}", "state: {o-1: {total: 30}}", "state.o-1 (- expected, + got)"},
		{"state: {o-1: {total: 30, paid: 10}}", "state: {o-1: null}", "state.o-1 (- expected, + got)"},
		{"fuel: 2_000", "fuel: 1", "fuel: expected at most 1, "},
		{"delivered: []", "fuel: 2_000", "fuel: the guest took no record of the case"},
		{"behind: 1", "behind: 0", "held (- expected, + got)\n- - {at: payments:0:0, waits_for: [orders:0:0], behind: 0}\n+ - {at: payments:0:0, waits_for: [orders:0:0], behind: 1}"},
		{"waits_for: [orders:0:0]", "waits_for: []", "held (- expected, + got)"},
		{"kind: guest", "kind: fuel", "blocked (- expected, + got)"},
		{"blocked: [{at: payments:0:0, kind: guest, reason: a payment before its order}]", "fuel: 2_000", "blocked (- expected, + got)\n+ - {at: payments:0:0, kind: guest, reason:"},
	} {
		result := stageSuite(t, c.from, c.to)
		failed := result.Failed()
		if len(failed) != 1 || !strings.HasPrefix(failed[0].Diff, c.want) {
			t.Errorf("%s for %s: %v, want one that begins with\n%s", c.to, c.from, failed, c.want)
		}
	}
}

// TestStageSnapshotsHaveFilesOfTheirOwn proves that what a stage emits is held to it as captures are.
func TestStageSnapshotsHaveFilesOfTheirOwn(t *testing.T) {
	text := "apiVersion: leat/v1\nkind: Suite\nmetadata: {name: ship}\nstage: ship.yaml\ncases:\n" +
		"  a: {arrive: [{topic: in, value: 1}], expect: {emitted: {b.c: {snapshot: true}}}}\n" +
		"  a.b: {arrive: [{topic: in, value: 1}], expect: {emitted: {c: {snapshot: true}}}}\n"
	if s, diagnostics := parseText(t.TempDir(), text); s != nil || !strings.Contains(diagnostics[0].String(), "as that of b.c in the case a (line 6) is (duplicate-name)") {
		t.Error(diagnostics)
	}
}
