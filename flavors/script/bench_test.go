package script

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/leat-run/leat/runtime"
)

const order300 = `{"id":"o-1001","customer":{"id":77,"name":"Ann Example","tier":"gold"},"currency":"EUR","note":"leave at the door, ring twice","items":[{"sku":"a-1","price":12.5,"qty":2},{"sku":"b-2","price":3.25,"qty":4},{"sku":"c-3","price":99.9,"qty":1}],"internal":{"trace":"7f3a","shard":3},"ok":true}`

const mapping = `let total = 0; for (let i = 0; i < p.items.length; i++) total += p.items[i].price * p.items[i].qty
	p.total = total; p.tier = total > 100 ? 'high' : 'low'; delete p.internal;`

// order5k is an order of about 5 KB, of which the mapping below touches three items.
func order5k() string {
	items := make([]string, 105)
	for i := range items {
		items[i] = fmt.Sprintf(`{"sku":"sku-%04d","price":%d.25,"qty":%d}`, i, i, i%7)
	}
	return `{"id":"o-1","items":[` + strings.Join(items, ",") + `],"internal":1}`
}

const touchThree = `let total = 0; for (let i = 0; i < 3; i++) total += p.items[i].price * p.items[i].qty
	p.total = total; delete p.internal;`

// BenchmarkCrossing compares the lazy view with JSON.parse and JSON.stringify inside
// goja, and with encoding/json in plain Go, on the same mapping.
func BenchmarkCrossing(b *testing.B) {
	for _, c := range []struct{ name, doc, body string }{{"300B", order300, mapping}, {"5KB", order5k(), touchThree}} {
		b.Run(c.name+"/view", func(b *testing.B) {
			bench(b, c.doc, `export default (msg) => { const p = msg.payload; `+c.body+` return msg }`)
		})
		b.Run(c.name+"/parse", func(b *testing.B) {
			quoted, _ := json.Marshal(c.doc)
			bench(b, string(quoted), `export default (msg) => { const p = JSON.parse(msg.payload); `+c.body+` msg.payload = JSON.stringify(p); return msg }`)
		})
	}
	b.Run("300B/go", func(b *testing.B) {
		for b.Loop() {
			var p map[string]any
			if json.Unmarshal([]byte(order300), &p) != nil {
				b.Fatal()
			}
			total := 0.0
			for _, item := range p["items"].([]any) {
				o := item.(map[string]any)
				total += o["price"].(float64) * o["qty"].(float64)
			}
			p["total"], p["tier"] = total, "high"
			delete(p, "internal")
			if _, err := json.Marshal(p); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("300B/identity", func(b *testing.B) { bench(b, order300, `export default (msg) => msg`) })
}

// BenchmarkStart is what a fresh instance costs after a failure.
func BenchmarkStart(b *testing.B) {
	w, err := tryLoad(`export default () => { while (true) {} }`, func(s *runtime.Settings) { s.Budget.Fuel = 1 })
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	for b.Loop() {
		apply(w, `{}`)
	}
}

func bench(b *testing.B, doc, source string) {
	w, err := tryLoad(source)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	for b.Loop() {
		if _, err := apply(w, doc); err != nil {
			b.Fatal(err)
		}
	}
}
