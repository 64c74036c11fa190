//go:build linux

package process

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/leat-run/leat/runtime"
)

// beast is a flavor without any guard: what a message asks for happens to the process.
type beast struct{}

func (beast) Name() string { return "beast" }

func (beast) Defaults() runtime.Budget {
	b := runtime.SharedDefaults()
	b.Fuel, b.Stack, b.Timeout = 1, 1, 300*time.Millisecond
	return b
}

func (beast) Compile(_ context.Context, code runtime.Code, s runtime.Settings) (runtime.Module, error) {
	do, arg, _ := strings.Cut(string(code.Bytes), " ")
	switch do {
	case "exit":
		os.Exit(9)
	case "killed":
		dieTwice(arg)
	case "always":
		dies(syscall.SIGKILL)
	case "bad":
		return nil, &runtime.Failure{Kind: runtime.KindCompile, Message: "bad code", File: code.Name, Line: 3, Column: 4, Hint: "mend it"}
	}
	return beastModule{}, nil
}

// dies ends this process by a signal. It sleeps until that has come, since to block on nothing would be a
// second way to die: of a deadlock.
func dies(of syscall.Signal) {
	_ = syscall.Kill(os.Getpid(), of)
	time.Sleep(time.Hour)
}

// dieTwice ends the first two processes that call it, which it counts in a file.
func dieTwice(file string) {
	calls, err := os.ReadFile(file)
	if err == nil && len(calls) == 2 {
		return
	}
	if err := os.WriteFile(file, append(calls, 'x'), 0o600); err != nil {
		panic(err)
	}
	dies(syscall.SIGKILL)
}

type beastModule struct{}

func (beastModule) Digest() string { return "sha256:beast" }
func (beastModule) Warnings() []runtime.Warning {
	return []runtime.Warning{{Code: "wild", Message: "a beast", File: "b", Line: 1, Column: 2}}
}
func (beastModule) Close() error { return nil }
func (beastModule) Instantiate(_ context.Context, h runtime.Host) (runtime.Transform, error) {
	return &beastInstance{host: h}, nil
}

type beastInstance struct {
	host  runtime.Host
	seen  int
	out   [1]runtime.Message
	spent runtime.Recycle
}

func (b *beastInstance) Close() error           { return nil }
func (b *beastInstance) Spent() runtime.Recycle { return b.spent }

var hoard [][]byte

func (b *beastInstance) Apply(_ context.Context, m runtime.Message) (runtime.Result, error) {
	if len(m.Payload) == 300 { // of the benchmark
		b.out[0] = m
		return runtime.Result{Out: b.out[:]}, nil
	}
	b.seen++
	same := runtime.Result{Out: []runtime.Message{m}, Usage: runtime.Usage{Fuel: 7, Memory: 9}}
	do, arg, _ := strings.Cut(string(m.Payload), " ")
	switch do {
	case "exit":
		os.Exit(3)
	case "panic":
		panic("the beast is out")
	case "kill":
		dies(syscall.SIGKILL)
	case "killonce": // arg names a file that says whether it did
		if _, err := os.Stat(arg); err != nil {
			if err := os.WriteFile(arg, nil, 0o600); err != nil {
				panic(err)
			}
			dies(syscall.SIGKILL)
		}
	case "abort":
		dies(syscall.SIGABRT)
	case "hoard":
		for {
			hoard = append(hoard, make([]byte, 1<<20))
			for i := range hoard[len(hoard)-1] {
				hoard[len(hoard)-1][i] = 1
			}
		}
	case "gulp":
		hoard = append(hoard, make([]byte, 1<<36))
	case "spin":
		for n := uint(0); ; n++ {
			atomic.AddInt64(new(int64), int64(n))
		}
	case "recurse":
		return recurse(m, 1)
	case "fail":
		b.spent = runtime.RecycleFailure
		return runtime.Result{Usage: runtime.Usage{Fuel: 5}}, &runtime.Failure{
			Kind: runtime.KindGuest, Message: "no", Hint: "h", Backtrace: "at x", File: "f.ts", Line: 1, Column: 2,
			Excerpt: "^", Measured: 3, Limit: 4, Log: "l", Deterministic: true,
		}
	case "log":
		b.host.Log("warn", "hello")
	case "count":
		same.Out[0].Payload = []byte(strconv.Itoa(b.seen))
	case "many":
		n, _ := strconv.Atoi(arg)
		for i := 1; i < n; i++ {
			same.Out = append(same.Out, runtime.Message{ID: "x", Payload: []byte("p"), Meta: runtime.Meta{"k": "v"}})
		}
	case "shout":
		same.Out[0].Payload = bytes.ToUpper(m.Payload)
	case "blast":
		same.Out[0].Payload = bytes.Repeat([]byte("x"), 1<<20)
	case "limit":
		var limit unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_CPU, &limit); err != nil {
			panic(err)
		}
		same.Out[0].Payload = []byte(strconv.FormatUint(limit.Cur, 10))
	case "null":
		return runtime.Result{Null: true}, nil
	case "world":
		return runtime.Result{}, errors.New("the disk is gone")
	case "flood":
		for range 150 {
			same.Out = append(same.Out, runtime.Message{ID: strings.Repeat("i", 200<<10)})
		}
	}
	return same, nil
}

func recurse(m runtime.Message, n int) (runtime.Result, error) {
	if n < 0 {
		return runtime.Result{}, nil
	}
	var pad [1 << 10]byte
	pad[n%len(pad)] = 1
	r, err := recurse(m, n+int(pad[0])+1)
	r.Usage.Fuel += int64(pad[1])
	return r, err
}
