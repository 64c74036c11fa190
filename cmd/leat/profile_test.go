package main

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/leat-run/leat/runtime"
)

// cmdPprof looks for a function in a profile.
func cmdPprof(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, args, 4, "pprof FILE TYPE SOURCE FUNCTION")
	p, err := profile.Parse(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	if p.SampleType[0].Type != args[1] {
		ts.Fatalf("%s is of %s", args[0], p.SampleType[0].Type)
	}
	function := regexp.MustCompile("^(" + args[3] + ")$")
	for _, s := range p.Sample {
		for _, l := range s.Location {
			f := l.Line[0].Function
			if s.Value[0] > 0 && function.MatchString(f.Name) && (args[2] == "-" || strings.HasSuffix(f.Filename, args[2])) {
				return
			}
		}
	}
	ts.Fatalf("%s has no %s in %s:\n%s", args[0], args[3], args[2], p)
}

// Proves that a profile that was written is read as what was measured: every unit of fuel, by
// function and line, under its callers.
func TestProfile(t *testing.T) {
	transform := runtime.Frame{Function: "transform", File: "enrich.ts", Line: 3}
	again := runtime.Frame{Function: "transform", File: "enrich.ts", Line: 9}
	rate := runtime.Frame{Function: "rate", File: "rates.ts", Line: 1}
	var fuel runtime.FuelProfile
	fuel.Add([]runtime.Frame{transform}, 70)
	fuel.Add([]runtime.Frame{rate, transform}, 25)
	fuel.Add([]runtime.Frame{rate, again}, 4)
	fuel.Add([]runtime.Frame{rate, again}, 1)
	fuel.Add(nil, 2)
	name := filepath.Join(t.TempDir(), "fuel.pb.gz")
	if err := writeProfile(name, "node enrich", &fuel); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p, err := profile.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	own, below := map[string]int64{}, map[string]int64{}
	var total, charges int64
	for _, s := range p.Sample {
		total, charges = total+s.Value[0], charges+s.Value[1]
		own[s.Location[0].Line[0].Function.Name] += s.Value[0]
		for _, l := range s.Location {
			below[l.Line[0].Function.Filename+":"+l.Line[0].Function.Name] += s.Value[0]
		}
	}
	if want := map[string]int64{"transform": 70, "rate": 30, runtime.Elsewhere: 2}; !reflect.DeepEqual(own, want) {
		t.Errorf("%v", own)
	}
	if want := map[string]int64{"enrich.ts:transform": 100, "rates.ts:rate": 30, ":" + runtime.Elsewhere: 2}; !reflect.DeepEqual(below, want) {
		t.Errorf("%v", below)
	}
	if total != fuel.Total() || charges != 5 || len(p.Function) != 3 || len(p.Location) != 4 || p.DefaultSampleType != "fuel" || p.Comments[0] != "node enrich" {
		t.Errorf("%s", p)
	}
	var told *exitError
	if err := writeProfile(filepath.Join(t.TempDir(), "no", "such"), "", &fuel); !errors.As(err, &told) || told.code != exitUsage {
		t.Errorf("%v", err)
	}
}
