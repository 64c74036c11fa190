// The sample's enrich.ts as a plain stream script, the yardstick of BenchmarkOrders:
//
//	node orders.mjs < orders.jsonl > out.jsonl
import { createInterface } from 'node:readline'
import { stdin, stdout } from 'node:process'

const rates = { EUR: 1, GBP: 1.17, JPY: 0.0061, PLN: 0.233, SEK: 0.089, USD: 0.91 }

for await (const line of createInterface({ input: stdin, crlfDelay: Infinity })) {
  let order
  try {
    order = JSON.parse(line)
  } catch {
    continue
  }
  const rate = rates[order.currency]
  if (rate === undefined) continue
  let sum = 0
  for (const item of order.items) sum += item.qty * item.price
  order.total = Math.round(sum * rate * 100) / 100
  order.vip = order.total >= 5000
  if (!stdout.write(JSON.stringify(order) + '\n')) await new Promise((go) => stdout.once('drain', go))
}
