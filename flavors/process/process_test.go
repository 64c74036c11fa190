//go:build linux

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/leat-run/leat/runtime"
)

// TestMain makes this test binary double as the children.
func TestMain(m *testing.M) {
	if IsChild() {
		os.Exit(Serve(map[string]runtime.Flavor{"beast": beast{}}))
	}
	if os.Getenv(parentMark) != "" {
		parent()
	}
	goleak.VerifyTestMain(m)
}

func load1(t testing.TB, code string, change func(*runtime.Settings)) (runtime.Module, error) {
	t.Helper()
	s := runtime.Settings{Budget: beast{}.Defaults(), State: runtime.StateReuse, Config: []byte("{}")}
	if change != nil {
		change(&s)
	}
	m, err := New(beast{}, Options{}).Compile(t.Context(), runtime.Code{Name: "b.js", Bytes: []byte(code)}, s)
	if err == nil {
		t.Cleanup(func() { _ = m.Close() })
	}
	return m, err
}

func newWorker(t testing.TB, change func(*runtime.Settings), log func(string, string)) (*runtime.Worker, *int) {
	t.Helper()
	m, err := load1(t, "", change)
	if err != nil {
		t.Fatal(err)
	}
	recycled := new(int)
	w, err := runtime.NewWorker(t.Context(), m, runtime.Host{Log: log}, func(runtime.Recycle) { *recycled++ })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w, recycled
}

func message(payload string) runtime.Message {
	return runtime.Message{
		ID: "id-1", Key: []byte("k"), Payload: []byte(payload), Codec: "json", Meta: runtime.Meta{"a": "b"},
		Source: "in", Ingested: time.UnixMilli(1_700_000_000_123).UTC(),
	}
}

// Proves that whatever ends a child is one typed failure of its message, that the next
// message is fine, and that the parent lives.
func TestDeaths(t *testing.T) {
	for payload, want := range map[string]runtime.Kind{
		"exit": runtime.KindCrash, "panic": runtime.KindCrash, "kill": runtime.KindCrash, "abort": runtime.KindCrash,
		"hoard": runtime.KindMemory, "gulp": runtime.KindMemory, "spin": runtime.KindTimeout, "recurse": runtime.KindStack,
	} {
		t.Run(payload, func(t *testing.T) {
			if !limitable && (payload == "hoard" || payload == "gulp") {
				t.Skip("no memory limit under the race detector")
			}
			t.Parallel()
			w, recycled := newWorker(t, func(s *runtime.Settings) {
				if s.Budget.Memory = 16 << 20; payload == "recurse" {
					s.Budget.Memory = 64 << 20 // a stack that grows while garbage is collected keeps its earlier halves
				}
				if payload != "spin" {
					s.Budget.Timeout = 20 * time.Second
				}
			}, nil)
			_, err := w.Apply(t.Context(), message(payload))
			var f *runtime.Failure
			if !errors.As(err, &f) || f.Kind != want || f.Deterministic || f.Message == "" || f.Hint == "" {
				t.Fatalf("%v, want %s", err, want)
			}
			t.Log(f)
			if *recycled != 1 {
				t.Errorf("%d instances replaced", *recycled)
			}
			if r, err := w.Apply(t.Context(), message("count")); err != nil || string(r.Out[0].Payload) != "1" {
				t.Errorf("the next message: %v %v", r, err)
			}
		})
	}
}

// Proves that of many messages in flight exactly those that kill are convicted, and all
// others have their answer, in their place.
func TestOnlyTheKillerIsConvicted(t *testing.T) {
	w, recycled := newWorker(t, nil, nil)
	in := make([]runtime.Message, 200)
	for i := range in {
		in[i] = message("fine " + strconv.Itoa(i))
	}
	killers := map[int]string{0: "exit", 57: "panic", 58: "exit", 130: "kill", 199: "exit"}
	for i, payload := range killers {
		in[i].Payload = []byte(payload)
	}
	in[100].Payload = []byte("fail")
	answers := make([]runtime.Answer, len(in))
	w.ApplyBatch(t.Context(), in, answers)
	for i, a := range answers {
		var f *runtime.Failure
		switch {
		case killers[i] != "":
			if !errors.As(a.Err, &f) || f.Kind != runtime.KindCrash {
				t.Errorf("%d: %v", i, a.Err)
			}
		case i == 100:
			if !errors.As(a.Err, &f) || f.Kind != runtime.KindGuest || a.Recycled != runtime.RecycleFailure {
				t.Errorf("%d: %+v", i, a)
			}
		case a.Err != nil || len(a.Out) != 1 || string(a.Out[0].Payload) != string(in[i].Payload):
			t.Errorf("%d: %+v", i, a)
		}
	}
	if *recycled != len(killers)+1 {
		t.Errorf("%d instances replaced", *recycled)
	}
}

// Proves that an answer is what the wrapped flavor said, in every part.
func TestAnswersAreWhole(t *testing.T) {
	var logs []string
	w, _ := newWorker(t, func(s *runtime.Settings) {
		s.Budget.Timeout, s.Budget.Output, s.Budget.Outputs = 20*time.Second, 1<<20, 10
	}, func(level, text string) { logs = append(logs, level+":"+text) })
	in := message(`{"a":1}`)
	r, err := w.Apply(t.Context(), in)
	if err != nil || fmt.Sprintf("%+v", r.Out) != fmt.Sprintf("%+v", []runtime.Message{in}) || r.Usage.Fuel != 7 || r.Usage.Memory != 9 {
		t.Errorf("%+v %v", r, err)
	}
	if r, err := w.Apply(t.Context(), message("many 1000")); err != nil || len(r.Out) != 1000 || r.Out[999].Meta["k"] != "v" || r.Out[999].Key != nil {
		t.Errorf("%d outputs, %v", len(r.Out), err)
	}
	if r, err := w.Apply(t.Context(), message("null")); err != nil || !r.Null || len(r.Out) != 0 {
		t.Errorf("%+v %v", r, err)
	}
	_, err = w.Apply(t.Context(), message("fail"))
	want := runtime.Failure{
		Kind: runtime.KindGuest, Message: "no", Hint: "h", Backtrace: "at x", File: "f.ts", Line: 1, Column: 2,
		Excerpt: "^", Measured: 3, Limit: 4, Log: "l", Deterministic: true,
	}
	var f *runtime.Failure
	if !errors.As(err, &f) || *f != want {
		t.Errorf("%+v", f)
	}
	_, err = w.Apply(t.Context(), message("world"))
	if f = nil; err == nil || errors.As(err, &f) || !strings.Contains(err.Error(), "the disk is gone") {
		t.Errorf("%v", err)
	}
	if _, err := w.Apply(t.Context(), message("log")); err != nil || fmt.Sprint(logs) != "[warn:hello]" {
		t.Errorf("%v %v", logs, err)
	}
	_, err = w.Apply(t.Context(), message("flood"))
	if !errors.As(err, &f) || f.Kind != runtime.KindOutput {
		t.Errorf("%v", err)
	}
	big := message(strings.Repeat("x", 5<<20))
	if r, err := w.Apply(t.Context(), big); err != nil || len(r.Out[0].Payload) != 5<<20 {
		t.Errorf("%v", err)
	}
	_, err = w.Apply(t.Context(), message(strings.Repeat("x", 9<<20)))
	if !errors.As(err, &f) || f.Kind != runtime.KindInput {
		t.Errorf("%v", err)
	}
}

// Proves that faults of the code are found when it is loaded, also those that end the child.
func TestLoad(t *testing.T) {
	m, err := load1(t, "", nil)
	if err != nil || m.Digest() != "sha256:beast" || len(m.Warnings()) != 1 || m.Warnings()[0].Column != 2 {
		t.Fatalf("%v %v", m, err)
	}
	var f *runtime.Failure
	if _, err := load1(t, "bad", nil); !errors.As(err, &f) || f.Kind != runtime.KindCompile || f.Line != 3 || f.File != "b.js" {
		t.Errorf("%v", err)
	}
	if _, err := load1(t, "exit", nil); !errors.As(err, &f) || f.Kind != runtime.KindCompile {
		t.Errorf("%v", err)
	}
}

// Proves that a child which is killed from outside while it loads costs a start and not the run, that the code is not to
// blame, and that there is a bound.
func TestKilledWhileLoading(t *testing.T) {
	if _, err := load1(t, "killed "+filepath.Join(t.TempDir(), "calls"), nil); err != nil {
		t.Errorf("killed twice: %v", err)
	}
	var f *runtime.Failure
	if _, err := load1(t, "always", nil); err == nil || errors.As(err, &f) || !strings.Contains(err.Error(), "from outside while it loaded") {
		t.Errorf("killed always: %v", err)
	}
}

// Proves that the end of a context ends a call and blames nobody, and that a child which was
// killed from outside costs its message one more run and no more.
func TestOutside(t *testing.T) {
	w, recycled := newWorker(t, func(s *runtime.Settings) { s.Budget.Timeout = time.Minute }, nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := w.Apply(ctx, message("spin"))
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if r, err := w.Apply(t.Context(), message("count")); err != nil || string(r.Out[0].Payload) != "1" {
		t.Fatalf("%v %v", r, err)
	}
	for _, pid := range children(t) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	if r, err := w.Apply(t.Context(), message("count")); err != nil || string(r.Out[0].Payload) == "" {
		t.Errorf("%v %v", r, err)
	}
	if *recycled != 0 {
		t.Errorf("%d recycled", *recycled)
	}
}

// parentMark makes this binary a parent that waits to be killed.
const parentMark = "LEAT_TEST_PARENT"

// parent has one child idle and one at work, and says their ids.
func parent() {
	s := runtime.Settings{Budget: beast{}.Defaults()}
	s.Budget.Timeout = time.Hour
	m, err := New(beast{}, Options{}).Compile(context.Background(), runtime.Code{}, s)
	if err != nil {
		panic(err)
	}
	busy, err := m.Instantiate(context.Background(), runtime.Host{})
	if err != nil {
		panic(err)
	}
	if _, err := m.Instantiate(context.Background(), runtime.Host{}); err != nil {
		panic(err)
	}
	go func() { _, _ = busy.Apply(context.Background(), message("spin")) }()
	for deadline := time.Now().Add(time.Minute); busy.(*transform).child.page.running.Load() != 1; {
		if time.Now().After(deadline) {
			panic("the guest did not begin to spin")
		}
		time.Sleep(time.Millisecond)
	}
	self, err := procChildren(os.Getpid())
	if err != nil {
		panic(err)
	}
	fmt.Println(len(self), self)
	select {}
}

// Proves that no child outlives its parent, idle or at work, however the parent ends.
func TestNoOrphans(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), parentMark+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var n, first, second int
	if _, err := fmt.Fscanf(out, "%d [%d %d]\n", &n, &first, &second); err != nil || n != 2 {
		t.Fatalf("%d children: %v", n, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if dead(first) && dead(second) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("a child lives on")
		}
	}
}

// dead says that a process has ended, whether somebody took notice or not.
func dead(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(text), ") Z ")
}

// children returns this process's children.
func children(t testing.TB) []int {
	t.Helper()
	pids, err := procChildren(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	return pids
}

func procChildren(pid int) (pids []int, err error) {
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return nil, err
	}
	for _, task := range tasks {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name())) // the thread may have ended
		for _, field := range strings.Fields(string(text)) {
			child, err := strconv.Atoi(field)
			if err != nil {
				return nil, err
			}
			pids = append(pids, child)
		}
	}
	return pids, nil
}
