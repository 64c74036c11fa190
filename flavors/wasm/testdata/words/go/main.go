// Command words is the Go program of package wasm's proofs: it counts the words of a text,
// most frequent first, and gives back a payload that starts with '=' as it is.
package main

import (
	"fmt"
	"sort"
	"strings"

	leat "github.com/leat-run/leat/guests/go"
)

func init() { leat.Transform(words) }

func main() {}

func words(m leat.Message) ([]leat.Message, error) {
	if len(m.Payload) > 0 && m.Payload[0] == '=' {
		return leat.One(m.Payload), nil
	}
	counts := map[string]int{}
	for _, word := range strings.Fields(string(m.Payload)) {
		counts[word]++
	}
	order := make([]string, 0, len(counts))
	for word := range counts {
		order = append(order, word)
	}
	sort.Slice(order, func(i, j int) bool {
		if counts[order[i]] != counts[order[j]] {
			return counts[order[i]] > counts[order[j]]
		}
		return order[i] < order[j]
	})
	var out strings.Builder
	for _, word := range order {
		fmt.Fprintf(&out, "%s %d\n", word, counts[word])
	}
	return leat.One([]byte(out.String())), nil
}
