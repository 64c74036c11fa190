package tune

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
)

// stepsPerOctave is how fine a Distribution is: neighbouring steps differ by 1/64.
const stepsPerOctave = 64

// Distribution counts values that are not negative. The zero value is empty.
type Distribution struct {
	count int64
	most  int64
	// steps[o] are those of the values from 2^o on; values below stepsPerOctave are exact.
	steps [64][]step
}

// step is a range of values, with the least and the greatest that came.
type step struct {
	Min   int64 `json:"min"`
	Max   int64 `json:"max"`
	Count int64 `json:"count"`
}

// Add counts one value; a negative one counts as 0.
func (d *Distribution) Add(v int64) { d.add(step{max(v, 0), max(v, 0), 1}) }

func (d *Distribution) add(s step) {
	octave := octaveOf(s.Min)
	if d.steps[octave] == nil {
		d.steps[octave] = make([]step, stepsPerOctave)
	}
	at := &d.steps[octave][offset(s.Min, octave)]
	if at.Count == 0 {
		*at = s
	} else {
		at.Min, at.Max, at.Count = min(at.Min, s.Min), max(at.Max, s.Max), at.Count+s.Count
	}
	d.count += s.Count
	d.most = max(d.most, s.Max)
}

func octaveOf(v int64) int { return max(bits.Len64(uint64(v))-1, 0) }

func sameStep(a, b int64) bool {
	octave := octaveOf(a)
	return octave == octaveOf(b) && offset(a, octave) == offset(b, octave)
}

// offset is a value's step within its octave.
func offset(v int64, octave int) int64 {
	above := v - 1<<octave
	if v == 0 {
		return 0
	}
	if octave <= 6 {
		return above + int64(boolBit(octave == 0)) // octave 0 holds 0 and 1
	}
	return above >> (octave - 6)
}

func boolBit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Count returns how many values there are, Max the greatest, 0 for none.
func (d *Distribution) Count() int64 { return d.count }
func (d *Distribution) Max() int64   { return d.most }

// Min returns the least value, 0 for none.
func (d *Distribution) Min() int64 {
	for s := range d.all {
		return s.Min
	}
	return 0
}

// all yields the steps that hold something, in order.
func (d *Distribution) all(yield func(step) bool) {
	for _, octave := range d.steps {
		for _, s := range octave {
			if s.Count > 0 && !yield(s) {
				return
			}
		}
	}
}

// Quantile returns a value that at least the share q of all do not exceed, and that one of
// them has, but for the width of a step. q is from 0 to 1.
func (d *Distribution) Quantile(q float64) int64 {
	rank := int64(q*float64(d.count) + 0.999999)
	for s := range d.all {
		if rank -= s.Count; rank <= 0 {
			return s.Max
		}
	}
	return d.most
}

// Above returns the share of the values that are greater than limit, from 0 to 1.
func (d *Distribution) Above(limit int64) float64 {
	if d.count == 0 {
		return 0
	}
	var above float64
	for s := range d.all {
		switch {
		case s.Min > limit:
			above += float64(s.Count)
		case s.Max > limit:
			above += float64(s.Count) * float64(s.Max-limit) / float64(s.Max-s.Min+1)
		}
	}
	return above / float64(d.count)
}

// Octave is how many values lie in (Bound/2, Bound].
type Octave struct {
	Bound int64 `json:"le"`
	Count int64 `json:"count"`
}

// Octaves returns the histogram by powers of two, from the first to the last that has any
// value, those between them included.
func (d *Distribution) Octaves() []Octave {
	var counts [65]int64
	first, last := 65, -1
	for s := range d.all {
		o := bits.Len64(uint64(max(s.Max-1, 0))) // the least o with Max <= 2^o
		counts[o] += s.Count
		first, last = min(first, o), max(last, o)
	}
	var out []Octave
	for o := first; o <= last; o++ {
		bound := int64(1<<62 - 1 + 1<<62)
		if o < 63 {
			bound = 1 << o
		}
		out = append(out, Octave{Bound: bound, Count: counts[o]})
	}
	return out
}

// MarshalJSON writes the steps that hold something.
func (d *Distribution) MarshalJSON() ([]byte, error) {
	return json.Marshal(slices.AppendSeq([]step{}, d.all))
}

// UnmarshalJSON reads what MarshalJSON wrote. Steps that make no sense are an error.
func (d *Distribution) UnmarshalJSON(text []byte) error {
	var steps []step
	if err := json.Unmarshal(text, &steps); err != nil {
		return err
	}
	*d = Distribution{}
	for _, s := range steps {
		if s.Min < 0 || s.Max < s.Min || s.Count < 1 || d.count+s.Count < d.count || !sameStep(s.Min, s.Max) {
			return fmt.Errorf("tune: no step of a distribution: %+v", s)
		}
		d.add(s)
	}
	return nil
}
