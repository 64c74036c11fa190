package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/tune"
)

// Proves that tune's curve tells the truth: with the budgets that it writes no message of the
// sample fails for want of one, and with the fuel of the script's median message the share fails
// that the curve said, within two points.
func TestTuneForetells(t *testing.T) {
	dir := tuneDir(t)
	nodes := tuneReport(t, dir, "--headroom", "1.5", "--write")
	if failed, _ := tuneRunFuel(t, dir); failed != 0 {
		t.Errorf("%d messages fail with what was written", failed)
	}
	written := nodes[0].Suggested.Fuel
	half := nodes[0].Fuel.P50
	what := tuneReport(t, dir, "--what-if", fmt.Sprintf("fuel=%d", half))[0].WhatIf[0]
	editFile(t, filepath.Join(dir, "orders.yaml"), fmt.Sprintf("fuel: %s,", tune.Group(written)), fmt.Sprintf("fuel: %d,", half))
	failed, calls := tuneRunFuel(t, dir)
	share := float64(failed) / float64(calls)
	t.Logf("fuel %d: the curve says %.4f, the run %.4f (%d of %d)", half, what.Fails, share, failed, calls)
	if what.Fails < 0.05 || what.Fails > 0.95 {
		t.Errorf("a share of %.4f proves nothing: take another share", what.Fails)
	}
	if math.Abs(share-what.Fails) > 0.02 {
		t.Error("more than two points apart")
	}
}

// tuneDir holds a copy of the sample whose documents name the module absolutely.
func tuneDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	module, err := filepath.Abs("../../guests/go/score/score.wasm")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"orders.yaml", "orders.jsonl", "enrich.ts"} {
		text, err := os.ReadFile(filepath.Join("../../testdata/pipelines/orders", name))
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte("../../../guests/go/score/score.wasm"), []byte(filepath.ToSlash(module)))
		text = bytes.ReplaceAll(text, []byte("dlq: {stop_after"), []byte("# dlq: {stop_after")) // half of the messages fail
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func tuneReport(t *testing.T, dir string, args ...string) []tune.NodeReport {
	t.Helper()
	out, err := leatIn(t, dir, append([]string{"tune", "orders.yaml", "--sample", "orders.jsonl", "--json", "--quiet"}, args...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var report tune.Report
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatal(err)
	}
	return report.Nodes
}

// tuneRunFuel runs the document from new and returns how many messages failed for want of
// fuel in the script, and how many the script did not fail otherwise.
func tuneRunFuel(t *testing.T, dir string) (failed, calls int) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(dir, ".leat")); err != nil {
		t.Fatal(err)
	}
	_ = leatIn(t, dir, "run", "orders.yaml", "--quiet").Run() // partial
	out, err := leatIn(t, dir, "dlq", "list", "orders.yaml", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var l struct{ Node, Kind string }
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		if l.Node == "enrich" && l.Kind == "fuel" {
			failed++
		}
	}
	input, err := os.ReadFile(filepath.Join(dir, "orders.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(input)) {
		if json.Valid([]byte(line)) && !strings.Contains(line, `"cancelled"`) && !strings.Contains(line, `"XAU"`) {
			calls++
		}
	}
	return failed, calls
}

func editFile(t *testing.T, name, from, to string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), from) != 1 {
		t.Fatalf("%s has %q not once:\n%s", name, from, text)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(text), from, to, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Proves that a sample's lines are what the source would read: a raw one keeps its white space.
func TestSampleLinesAreTheSources(t *testing.T) {
	var got []string
	feed := sampleFeed(strings.NewReader("  a \r\n\n\tb\n c"), "sample", &pipeline.Source{Name: "in", Decoder: "raw"})
	err := feed(t.Context(), func(in engine.Injection) error {
		got = append(got, in.Message.ID+"="+string(in.Message.Payload))
		return nil
	})
	if want := []string{"sample:1=  a ", "sample:3=\tb", "sample:4= c"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v %q, want %q", err, got, want)
	}
}
