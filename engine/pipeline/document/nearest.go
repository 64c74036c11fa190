package document

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Nearest returns the candidate that is most like name, or "" if none is like enough: at
// most a third of its letters differ, or one is a part of the other.
func Nearest(name string, candidates iter.Seq[string]) string {
	best, bestCost := "", 1<<30
	sorted := slices.Sorted(candidates)
	for _, c := range sorted {
		if cost := distance(strings.ToLower(name), strings.ToLower(c)); cost < bestCost {
			best, bestCost = c, cost
		}
	}
	if best != "" && bestCost <= max(1, max(len(name), len(best))/3) {
		return best
	}
	for _, c := range sorted {
		if len(name) >= 3 && (strings.HasPrefix(c, name) || strings.HasPrefix(name, c) && len(c) >= 3) {
			return c
		}
	}
	return ""
}

// DidYouMean returns the hint that names the nearest candidate, or lists a few that exist.
func DidYouMean(name string, candidates iter.Seq[string]) string {
	if near := Nearest(name, candidates); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return List("there is: ", candidates)
}

// List returns prefix and the names, sorted, at most twelve; "" if there are none.
func List(prefix string, names iter.Seq[string]) string {
	const most = 12
	all := slices.Sorted(names)
	if len(all) == 0 {
		return ""
	}
	if len(all) > most {
		return prefix + strings.Join(all[:most], ", ") + fmt.Sprintf(" and %d more", len(all)-most)
	}
	return prefix + strings.Join(all, ", ")
}

// distance is the number of letters to insert, remove, replace or swap with a neighbour
// that turns a into b. Long texts are far from everything.
func distance(a, b string) int {
	const longest = 64
	if len(a) > longest || len(b) > longest {
		return 1 << 20
	}
	var before, last, now [longest + 1]int
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		now[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
		before, last = last, now
	}
	return last[len(b)]
}
