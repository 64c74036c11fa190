package engine

import (
	"cmp"
	"slices"
	"sync"

	"github.com/leat-run/leat/runtime"
)

// LetterCount is how many dead letters a node wrote, by what failed.
type LetterCount struct {
	Node  string
	Class string       // one of store's Class constants
	Kind  runtime.Kind // of the failure
	Count int64
}

// letterCounts counts the dead letters of this run. It is bounded by nodes, classes and
// kinds.
type letterCounts struct {
	mu     sync.Mutex
	counts map[LetterCount]int64 // Count of the key is 0
}

func (c *letterCounts) add(node, class string, kind runtime.Kind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[LetterCount]int64{}
	}
	c.counts[LetterCount{Node: node, Class: class, Kind: kind}]++
}

// total is the number of all of them.
func (c *letterCounts) total() (n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, count := range c.counts {
		n += count
	}
	return n
}

// list is sorted, so that two looks can be compared.
func (c *letterCounts) list() []LetterCount {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []LetterCount
	for key, count := range c.counts {
		key.Count = count
		all = append(all, key)
	}
	slices.SortFunc(all, func(a, b LetterCount) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Kind, b.Kind))
	})
	return all
}
