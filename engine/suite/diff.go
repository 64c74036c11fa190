package suite

import (
	"fmt"
	"strings"
)

const (
	diffContext = 3    // equal lines shown around a difference
	diffLines   = 2000 // beyond which only the first difference is looked for
	diffShown   = 200  // lines of a diff
)

// Diff renders how got differs from want, by lines: "-" is missing, "+" is too much, with a few
// equal lines around. It is "" for equal texts.
func Diff(want, got string) string {
	if want == got {
		return ""
	}
	return shorten(editScript(splitLines(want), splitLines(got)))
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// editScript returns all lines, each behind " ", "-" or "+".
func editScript(want, got []string) []string {
	var out []string
	start := 0
	for start < len(want) && start < len(got) && want[start] == got[start] {
		out = append(out, "  "+want[start])
		start++
	}
	end := 0
	for end < len(want)-start && end < len(got)-start && want[len(want)-1-end] == got[len(got)-1-end] {
		end++
	}
	out = append(out, middle(want[start:len(want)-end], got[start:len(got)-end])...)
	for _, line := range want[len(want)-end:] {
		out = append(out, "  "+line)
	}
	return out
}

// middle is the shortest edit by the longest common subsequence, or all of both where that is
// too much work.
func middle(want, got []string) []string {
	var out []string
	if len(want) > diffLines || len(got) > diffLines {
		return append(marked("- ", want), marked("+ ", got)...)
	}
	common := lengths(want, got)
	i, j := 0, 0
	for i < len(want) && j < len(got) {
		switch {
		case want[i] == got[j]:
			out = append(out, "  "+want[i])
			i, j = i+1, j+1
		case common[i+1][j] >= common[i][j+1]:
			out = append(out, "- "+want[i])
			i++
		default:
			out = append(out, "+ "+got[j])
			j++
		}
	}
	return append(append(out, marked("- ", want[i:])...), marked("+ ", got[j:])...)
}

// lengths[i][j] is the length of the longest common subsequence of want[i:] and got[j:].
func lengths(want, got []string) [][]int32 {
	table := make([][]int32, len(want)+1)
	for i := range table {
		table[i] = make([]int32, len(got)+1)
	}
	for i := len(want) - 1; i >= 0; i-- {
		for j := len(got) - 1; j >= 0; j-- {
			if want[i] == got[j] {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	return table
}

func marked(mark string, lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = mark + line
	}
	return out
}

// shorten leaves out equal lines far from any difference and cuts what is too long.
func shorten(script []string) string {
	near := make([]bool, len(script))
	for i, line := range script {
		if line[0] == ' ' {
			continue
		}
		for k := max(i-diffContext, 0); k <= min(i+diffContext, len(script)-1); k++ {
			near[k] = true
		}
	}
	var out []string
	for i, line := range script {
		switch {
		case len(out) == diffShown:
			return strings.Join(append(out, fmt.Sprintf("… %d more lines", len(script)-i)), "\n")
		case near[i]:
			out = append(out, strings.TrimRight(line, " "))
		case i == 0 || near[i-1]:
			out = append(out, "  …")
		}
	}
	return strings.Join(out, "\n")
}
