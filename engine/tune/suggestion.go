package tune

import (
	"fmt"
	"math"
	"time"

	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/runtime"
)

const (
	// MinMessages is how many calls a suggestion needs (invariant 3).
	MinMessages = 300
	// DefaultHeadroom is how far above the greatest need a suggestion lies.
	DefaultHeadroom = 2
	// LeastFuel is the least fuel that is suggested. What a message costs on a way that the
	// sample did not take is in no number: an error that is thrown costs hundreds.
	LeastFuel = 1_000
)

// memoryFloor is the least memory that is suggested. A script's memory is that of a part of
// the process: its collector needs room that no message shows.
var memoryFloor = map[string]int64{"script": 16 << 20}

// leastMemory is the floor of all others.
const leastMemory = 1 << 20

// suggest returns budgets and how they came about, or nil and why there are none.
func suggest(s *Seen, budget runtime.Budget, flavor string, headroom float64) (*Limits, []string) {
	if headroom == 0 {
		headroom = DefaultHeadroom
	}
	if n := s.Succeeded(); n < MinMessages {
		return nil, []string{fmt.Sprintf("%d messages say too little: at least %d are wanted, since with fewer more than 1 %% of all may need more than the greatest that was seen", n, MinMessages)}
	}
	if n := s.AtBudget(); n > 0 {
		return nil, []string{fmt.Sprintf("%d calls ended at a budget: what they would have needed is not known. Measure with --sample or --spool, which raise the budgets, or raise them first", n)}
	}
	fuel := max(scale(s.Fuel.Max(), headroom, roundUp), LeastFuel)
	memory := max(scale(s.Memory.Max(), headroom, roundUpSize), memoryFloor[flavor], leastMemory)
	timeout := max(budget.Timeout, time.Duration(scale(s.Time.Max(), headroom, roundUp)))
	reasons := []string{
		fmt.Sprintf("fuel: the greatest of %d calls is %s, x %g, at least %s; now %s", s.Succeeded(), Group(s.Fuel.Max()), headroom, Group(LeastFuel), Group(budget.Fuel)),
		fmt.Sprintf("memory: the greatest is %s, x %g, at least %s; now %s", sizeText(s.Memory.Max()), headroom,
			document.FormatSize(max(memoryFloor[flavor], leastMemory)), document.FormatSize(budget.Memory)),
		fmt.Sprintf("timeout: the slowest took %v; time depends on the machine, so it is raised or left", time.Duration(s.Time.Max()).Round(time.Microsecond)),
	}
	if grown := s.growth(budget); grown != "" {
		reasons = append(reasons, grown)
	}
	return &Limits{Fuel: fuel, Timeout: document.FormatDuration(timeout), Memory: document.FormatSize(memory)}, reasons
}

// scale multiplies and rounds, without leaving 63 bits.
func scale(v int64, by float64, round func(int64) int64) int64 {
	scaled := math.Ceil(float64(v) * by)
	if scaled >= 1<<60 {
		return 1 << 60
	}
	return round(int64(scaled))
}

// growth warns where fuel follows the payload's size: the largest message of the year is
// not in the sample. It compares the two largest classes of sizes with enough calls.
func (s *Seen) growth(budget runtime.Budget) string {
	var classes []int
	for class := range s.Sizes {
		if s.Sizes[class].Fuel.Count() >= 10 {
			classes = append(classes, class)
		}
	}
	if len(classes) < 2 {
		return ""
	}
	low, high := classes[0], classes[len(classes)-1]
	small, large := s.Sizes[low].Fuel.Quantile(0.5), s.Sizes[high].Fuel.Quantile(0.5)
	bytes := float64(int64(1)<<high-int64(1)<<low) * 0.75
	perByte := float64(large-small) / bytes
	if small == 0 || float64(large) < 1.5*float64(small) || perByte <= 0 {
		return ""
	}
	need := float64(s.Fuel.Max()) + perByte*float64(budget.Input-s.Largest)
	return fmt.Sprintf("fuel grows by about %.2g per byte of payload; the largest seen has %d bytes, one of budget.input (%s) would need about %s",
		perByte, s.Largest, document.FormatSize(budget.Input), Group(int64(min(need, 1<<60))))
}

// Group writes a number with thousands apart, as documents may.
func Group(v int64) string {
	text := fmt.Sprint(v)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "_" + text[i:]
	}
	return text
}

// sizeText is a size for reading, which need not be a whole number of units.
func sizeText(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	case bytes < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	default:
		return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
	}
}
