// Command orders writes the sample's orders: always the same ones, since its random
// numbers have a fixed seed.
//
//	go run ./testdata/cmd/orders > testdata/pipelines/orders/orders.jsonl
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"time"
)

const count = 1200

// The orders that are bad on purpose, by line.
const (
	malformedLine = 313 // cut off: a dead letter of class decode
	currencyLine  = 577 // a currency without a rate: enrich throws
	priorityLine  = 911 // a priority that score does not know: it traps
)

type order struct {
	ID       string   `json:"id"`
	Placed   string   `json:"placed"`
	Customer customer `json:"customer"`
	Currency string   `json:"currency"`
	Items    []item   `json:"items"`
	Priority int      `json:"priority"`
	Status   string   `json:"status"`
	Note     *string  `json:"note"`
}

type customer struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Country string `json:"country"`
}

type item struct {
	SKU   string  `json:"sku"`
	Name  string  `json:"name"`
	Qty   int     `json:"qty"`
	Price float64 `json:"price"`
}

type country struct {
	code, currency string
	rate           float64 // prices of goods are in EUR
	first, last    []string
}

var countries = []country{
	{"DE", "EUR", 1, []string{"Anna", "Jürgen", "Lena", "Matthias"}, []string{"Krüger", "Scholz", "Weiß", "Brandt"}},
	{"FR", "EUR", 1, []string{"Chloé", "Hugo", "Inès", "René"}, []string{"Lefèvre", "Moreau", "Girard", "Besançon"}},
	{"SE", "SEK", 11.2, []string{"Astrid", "Björn", "Elsa", "Oskar"}, []string{"Lindqvist", "Åkesson", "Nyström", "Berg"}},
	{"GB", "GBP", 0.85, []string{"Amelia", "Harry", "Isla", "Oliver"}, []string{"Whitaker", "O'Neill", "Hughes", "Clarke"}},
	{"US", "USD", 1.1, []string{"Grace", "Marcus", "Naomi", "Tyler"}, []string{"Ramirez", "Johnson", "Nguyen", "Cohen"}},
	{"JP", "JPY", 165, []string{"美咲", "大輔", "陽菜", "健太"}, []string{"佐藤", "鈴木", "高橋", "田中"}},
	{"PL", "PLN", 4.3, []string{"Zofia", "Jakub", "Łucja", "Piotr"}, []string{"Wójcik", "Kowalska", "Zieliński", "Dąbrowska"}},
}

var goods = []item{
	{SKU: "KB-104", Name: "Mechanical keyboard", Price: 89}, {SKU: "MS-220", Name: "Wireless mouse", Price: 34.5},
	{SKU: "MN-27Q", Name: "27\" monitor", Price: 329}, {SKU: "LP-14A", Name: "Laptop 14\"", Price: 1249},
	{SKU: "CB-002", Name: "USB-C cable, 2 m", Price: 12.9}, {SKU: "DK-7P", Name: "Docking station", Price: 179},
	{SKU: "HS-300", Name: "Headset", Price: 119.95}, {SKU: "CH-ERG", Name: "Office chair", Price: 459},
	{SKU: "LM-08", Name: "Desk lamp", Price: 42}, {SKU: "SV-R2U", Name: "Rack server 2U", Price: 5890},
}

var notes = []string{"Leave with the neighbour", "Ring twice, the bell is \"shy\"", "Invoice to accounting", "Gift: no prices please"}

func main() {
	random := rand.New(rand.NewPCG(20260302, 17))
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	placed := time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC)
	for line := 1; line <= count; line++ {
		placed = placed.Add(time.Duration(20+random.IntN(160)) * time.Second)
		fmt.Fprintf(out, "%s\n", text(line, draw(random, line, placed)))
	}
}

func draw(random *rand.Rand, line int, placed time.Time) order {
	c := countries[random.IntN(len(countries))]
	buyer := random.IntN(len(c.first) * len(c.last))
	o := order{
		ID:     fmt.Sprintf("o-%05d", line),
		Placed: placed.Format(time.RFC3339),
		Customer: customer{
			ID:      fmt.Sprintf("c-%s-%02d", c.code, buyer),
			Name:    c.first[buyer%len(c.first)] + " " + c.last[buyer/len(c.first)],
			Country: c.code,
		},
		Currency: c.currency,
		Priority: random.IntN(8) / 3,
		Status:   "paid",
	}
	for range 1 + random.IntN(4) {
		o.Items = append(o.Items, pick(random, c.rate))
	}
	if random.IntN(40) == 0 {
		o.Status = "cancelled"
	}
	if random.IntN(6) == 0 {
		o.Note = &notes[random.IntN(len(notes))]
	}
	return o
}

// pick draws cheap goods more often.
func pick(random *rand.Rand, rate float64) item {
	i := goods[min(random.IntN(len(goods)), random.IntN(len(goods)))]
	i.Qty = 1 + random.IntN(3)
	i.Price = float64(int(i.Price*rate*100)) / 100
	return i
}

// text spoils the orders that are bad on purpose.
func text(line int, o order) []byte {
	switch line {
	case currencyLine:
		o.Currency, o.Status = "XAU", "paid"
	case priorityLine:
		o.Priority, o.Status = 7, "paid"
	}
	b, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	if line == malformedLine {
		return b[:len(b)*2/3]
	}
	return b
}
