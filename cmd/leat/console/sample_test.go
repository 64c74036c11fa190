package console

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// sample is the sample's pipeline as a run of its own: the real binary on a copy of the
// document that follows its input for ever, and somebody who writes orders.
type sample struct {
	URL string
	cmd *exec.Cmd
}

// flaky is put into the sample's script: one order fails until it is replayed, and an
// error text and a payload hold markup.
const flaky = `
  if (order.id === "o-00002" && msg.meta["leat.is_replay"] !== "true") {
    throw new Error("<img src=x onerror=document.title='owned'> the rate service is away");
  }
`

// startSample builds leat and runs the sample with --http until the test ends.
func startSample(t *testing.T, environment ...string) *sample {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "leat")
	build := exec.Command("go", "build", "-o", binary, "./cmd/leat")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	orders := writeSample(t, root, dir)
	s := &sample{cmd: exec.Command(binary, "run", filepath.Join(dir, "orders.yaml"), "--http", "127.0.0.1:0", "--data-dir", filepath.Join(dir, "data"))}
	s.cmd.Env = append(os.Environ(), environment...)
	s.start(t)
	ctx, stop := context.WithCancel(context.Background())
	var feeding sync.WaitGroup
	feeding.Go(func() { feed(ctx, t, filepath.Join(dir, "orders.jsonl"), orders) })
	t.Cleanup(func() { stop(); feeding.Wait() })
	return s
}

// writeSample copies the sample and returns its orders, one a line.
func writeSample(t *testing.T, root, dir string) [][]byte {
	t.Helper()
	from := filepath.Join(root, "testdata", "pipelines", "orders")
	text := map[string]string{}
	for _, name := range []string{"orders.yaml", "enrich.ts", "orders.jsonl"} {
		b, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		text[name] = string(b)
	}
	text["orders.yaml"] = replaced(t, text["orders.yaml"], "../../../guests/", filepath.Join(root, "guests")+"/",
		"{path: orders.jsonl}", "{path: orders.jsonl, mode: tail}", "sinks:", "telemetry: {redact: [customer.name]}\n\nsinks:") + "run: {mode: continuous}\n"
	text["enrich.ts"] = replaced(t, text["enrich.ts"], "const rate = rates", flaky+"  const rate = rates")
	orders := bytes.SplitAfter([]byte(text["orders.jsonl"]), []byte("\n"))
	text["orders.jsonl"] = ""
	for name, content := range text {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first := [][]byte{orders[1], orders[312], orders[576], orders[910]} // the bad ones
	return append(first, orders[2:300]...)
}

func replaced(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("the sample has no %q any more", pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

// feed writes a few orders every tenth of a second, over and over.
func feed(ctx context.Context, t *testing.T, path string, orders [][]byte) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Error(err)
		return
	}
	defer file.Close()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for at := 0; ; {
		for range 25 {
			if _, err := file.Write(orders[at]); err != nil {
				t.Error(err)
				return
			}
			if at++; at == len(orders) {
				at = 4 // the bad ones once
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// start runs the command and waits until it says where its console is.
func (s *sample) start(t *testing.T) {
	t.Helper()
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	in := bufio.NewScanner(stderr)
	for s.URL == "" && in.Scan() {
		log.WriteString(in.Text() + "\n")
		if _, url, ok := strings.Cut(in.Text(), "console: "); ok {
			s.URL = strings.TrimSpace(url)
		}
	}
	var reading sync.WaitGroup
	reading.Go(func() { _, _ = io.Copy(io.Discard, stderr) })
	t.Cleanup(func() {
		_ = s.cmd.Process.Signal(os.Interrupt)
		reading.Wait()
		_ = s.cmd.Wait()
	})
	if s.URL == "" {
		t.Fatalf("leat run told no console:\n%s", log.String())
	}
}
