// Command goguest is the Go program of package meter's proofs, built as a reactor by the
// tests themselves.
package main

import (
	"encoding/json"
	"sort"
	"strings"
)

func main() {}

type order struct {
	ID    int64    `json:"id"`
	Note  string   `json:"note"`
	Items []string `json:"items"`
	Price float64  `json:"price"`
}

//go:wasmexport decode
func decode(n uint32) uint32 {
	total := 0
	for range n {
		var o order
		err := json.Unmarshal([]byte(`{"id":4711,"note":"left at door","items":["a","b","c"],"price":12.5}`), &o)
		if err != nil {
			panic(err)
		}
		o.Note = strings.ToUpper(o.Note)
		b, _ := json.Marshal(o)
		total += len(b)
	}
	return uint32(total)
}

//go:wasmexport sorted
func sorted(n uint32) uint32 {
	x := uint32(1)
	words := make([]uint32, n)
	for i := range words {
		x = x*1664525 + 1013904223
		words[i] = x
	}
	sort.Slice(words, func(i, j int) bool { return words[i] < words[j] })
	return words[n/2]
}

var table [1 << 16]uint32

//go:wasmexport passes
func passes(n uint32) uint32 {
	sum := uint32(0)
	for round := range n {
		for i := range table {
			table[i] = table[i]*3 + round
			sum += table[i]
		}
	}
	return sum
}
