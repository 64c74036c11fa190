// Command score rates an enriched order: how much attention it deserves, from 0 to 100. Every other
// byte of the order stays as it is.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	leat "github.com/leat-run/leat/guests/go"
)

func init() { leat.Transform(score) }

func main() {} // never runs: the module is a reactor

// order is what score reads of an order.
type order struct {
	ID       string            `json:"id"`
	Total    float64           `json:"total"` // in EUR, by enrich
	Items    []json.RawMessage `json:"items"`
	Priority int               `json:"priority"`
}

// weights of the priorities 0 (normal), 1 (express) and 2 (same day). A priority beyond
// them is the kind of mistake that ends in a trap: see the sample's dead letters.
var weights = []int{0, 10, 25}

func score(m leat.Message) ([]leat.Message, error) {
	var o order
	if err := json.Unmarshal(m.Payload, &o); err != nil {
		return nil, fmt.Errorf("not an order: %w", err)
	}
	points := int(o.Total)/50 + len(o.Items) + weights[o.Priority]
	return leat.One(withMember(m.Payload, "score", min(points, 100))), nil
}

// withMember adds a last member to an object's text.
func withMember(object []byte, name string, value int) []byte {
	end := bytes.LastIndexByte(object, '}')
	out := make([]byte, 0, len(object)+len(name)+16)
	out = append(out, object[:end]...)
	out = append(append(append(out, `,"`...), name...), `":`...)
	return append(strconv.AppendInt(out, int64(value), 10), '}')
}
