package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const benchOrders = 100_000

const benchDocument = `apiVersion: leat/v1
kind: Pipeline
metadata: {name: bench}
constants: {vip: 5000}
sources:
  in: {file: {path: orders.jsonl}}
transforms:
  enrich: {from: [in], script: {file: enrich.ts}}
sinks:
  out: {from: [enrich], file: {path: out.jsonl}, batch: {size: 500, timeout: 100ms}}
`

// BenchmarkOrders runs 100,000 orders of about 300 bytes from file to file through the
// sample's script: by leat, durable, started anew; by a plain Go program in one thread;
// and by node as a stream script, where node is there. Run it with -benchtime 1x.
func BenchmarkOrders(b *testing.B) {
	dir := b.TempDir()
	writeBenchInput(b, dir)
	b.Run("leat", func(b *testing.B) { perOrder(b, func() { benchLeat(b, dir, "--durability=fsync") }) })
	b.Run("leat/os", func(b *testing.B) { perOrder(b, func() { benchLeat(b, dir, "--durability=os") }) })
	b.Run("go", func(b *testing.B) { perOrder(b, func() { benchGo(b, dir) }) })
	b.Run("node", func(b *testing.B) { perOrder(b, func() { benchNode(b, dir) }) })
}

func perOrder(b *testing.B, once func()) {
	for b.Loop() {
		once()
	}
	b.ReportMetric(float64(b.N)*benchOrders/b.Elapsed().Seconds(), "msg/s")
}

// writeBenchInput repeats the sample's orders.
func writeBenchInput(b *testing.B, dir string) {
	b.Helper()
	sample := filepath.Join("..", "..", "testdata", "pipelines", "orders")
	orders, err := os.ReadFile(filepath.Join(sample, "orders.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(sample, "enrich.ts"))
	if err != nil {
		b.Fatal(err)
	}
	lines := bytes.SplitAfter(bytes.TrimSuffix(orders, []byte("\n")), []byte("\n"))
	lines[len(lines)-1] = append(lines[len(lines)-1], '\n')
	var in bytes.Buffer
	for i := range benchOrders {
		in.Write(lines[i%len(lines)])
	}
	for name, text := range map[string][]byte{"orders.jsonl": in.Bytes(), "enrich.ts": script, "bench.yaml": []byte(benchDocument)} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			b.Fatal(err)
		}
	}
}

func benchLeat(b *testing.B, dir, flag string) {
	b.Helper()
	for _, old := range []string{".leat", "out.jsonl"} {
		if err := os.RemoveAll(filepath.Join(dir, old)); err != nil {
			b.Fatal(err)
		}
	}
	run := leatIn(b, dir, "run", "bench.yaml", "--quiet", flag)
	out, _ := run.CombinedOutput()
	if code := run.ProcessState.ExitCode(); code != int(exitPartial) {
		b.Fatalf("exit code %d: %s", code, out)
	}
}

// benchGo is the same work as a Go program would do it: encoding/json, one thread, one
// sync at the end.
func benchGo(b *testing.B, dir string) {
	b.Helper()
	in, err := os.Open(filepath.Join(dir, "orders.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(filepath.Join(dir, "go.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	w := bufio.NewWriterSize(out, 64<<10)
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if text, ok := enrichInGo(lines.Bytes()); ok {
			w.Write(append(text, '\n'))
		}
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := out.Sync(); err != nil {
		b.Fatal(err)
	}
}

var benchRates = map[string]float64{"EUR": 1, "GBP": 1.17, "JPY": 0.0061, "PLN": 0.233, "SEK": 0.089, "USD": 0.91}

func enrichInGo(line []byte) ([]byte, bool) {
	var order map[string]any
	if json.Unmarshal(line, &order) != nil {
		return nil, false
	}
	rate, ok := benchRates[order["currency"].(string)]
	if !ok {
		return nil, false
	}
	sum := 0.0
	for _, item := range order["items"].([]any) {
		i := item.(map[string]any)
		sum += i["qty"].(float64) * i["price"].(float64)
	}
	total := math.Round(sum*rate*100) / 100
	order["total"], order["vip"] = total, total >= 5000
	text, err := json.Marshal(order)
	return text, err == nil
}

func benchNode(b *testing.B, dir string) {
	b.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		b.Skip("node is not on this machine")
	}
	script, err := filepath.Abs(filepath.Join("..", "..", "testdata", "bench", "orders.mjs"))
	if err != nil {
		b.Fatal(err)
	}
	in, err := os.Open(filepath.Join(dir, "orders.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(filepath.Join(dir, "node.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	cmd := exec.CommandContext(b.Context(), node, script)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, os.Stderr
	if err := cmd.Run(); err != nil {
		b.Fatal(err)
	}
}
