// Command fulfil ships an order once it is paid: the fold of flavors/flavortest/testdata/fulfil.js in Go.
package main

import (
	"errors"

	"github.com/leat-run/leat/guests/go/stage"
)

func init() { stage.Fold(fulfil) }

func main() {} // never runs: the module is a reactor

// order is the state of a key: what it costs and what was paid.
type order struct {
	Total int `json:"total"`
	Paid  int `json:"paid"`
}

type shipment struct {
	Order string `json:"order"`
	Paid  int    `json:"paid"`
}

func fulfil(o *order, r stage.Record) (*order, []stage.Emission, error) {
	var v struct{ Total, Amount int }
	if err := r.Decode(&v); err != nil {
		return nil, nil, err
	}
	switch {
	case r.Topic == "orders":
		o = &order{Total: v.Total}
	case o == nil:
		return nil, nil, errors.New("a payment before its order")
	default:
		o.Paid += v.Amount
	}
	if o.Paid < o.Total {
		return o, nil, nil
	}
	return nil, stage.Emit("shipments", shipment{string(r.Key), o.Paid}), nil
}
