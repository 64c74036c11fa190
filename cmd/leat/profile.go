package main

import (
	"fmt"
	"os"

	"github.com/google/pprof/profile"

	"github.com/leat-run/leat/runtime"
)

// writeProfile writes where fuel went as a gzipped pprof profile, which `go tool pprof` and
// Speedscope read. about says what was measured.
func writeProfile(name, about string, fuel *runtime.FuelProfile) error {
	p := profileOf(about, fuel)
	if err := p.CheckValid(); err != nil {
		panic("cmd: a profile that no reader takes: " + err.Error()) // it depends on profileOf alone
	}
	file, err := os.Create(name)
	if err != nil {
		return fail(exitUsage, "name a file that can be made", fmt.Errorf("the profile cannot be written: %w", err))
	}
	err = p.Write(file)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fail(exitFailed, "", fmt.Errorf("write the profile %s: %w", name, err))
	}
	return nil
}

// profileOf turns stacks of a guest's functions into a profile: fuel first, and how often a
// place was charged.
func profileOf(about string, fuel *runtime.FuelProfile) *profile.Profile {
	b := profileBuilder{
		profile: &profile.Profile{
			SampleType:        []*profile.ValueType{{Type: "fuel", Unit: "count"}, {Type: "charges", Unit: "count"}},
			DefaultSampleType: "fuel", PeriodType: &profile.ValueType{Type: "fuel", Unit: "count"}, Period: 1,
			Comments: []string{about},
		},
		functions: map[functionKey]*profile.Function{}, locations: map[runtime.Frame]*profile.Location{},
	}
	for _, s := range fuel.Samples() {
		sample := &profile.Sample{Value: []int64{s.Fuel, s.Count}}
		for _, frame := range s.Stack {
			sample.Location = append(sample.Location, b.location(frame))
		}
		b.profile.Sample = append(b.profile.Sample, sample)
	}
	return b.profile
}

// profileBuilder numbers functions and places, each once.
type profileBuilder struct {
	profile   *profile.Profile
	functions map[functionKey]*profile.Function
	locations map[runtime.Frame]*profile.Location
}

type functionKey struct{ name, file string }

func (b *profileBuilder) location(f runtime.Frame) *profile.Location {
	l := b.locations[f]
	if l == nil {
		l = &profile.Location{
			ID: uint64(len(b.locations) + 1), Line: []profile.Line{{Function: b.function(f), Line: int64(f.Line)}},
		}
		b.locations[f] = l
		b.profile.Location = append(b.profile.Location, l)
	}
	return l
}

func (b *profileBuilder) function(f runtime.Frame) *profile.Function {
	key := functionKey{f.Function, f.File}
	fn := b.functions[key]
	if fn == nil {
		fn = &profile.Function{ID: uint64(len(b.functions) + 1), Name: f.Function, SystemName: f.Function, Filename: f.File}
		b.functions[key] = fn
		b.profile.Function = append(b.profile.Function, fn)
	}
	return fn
}
