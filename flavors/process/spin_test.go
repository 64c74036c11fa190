//go:build linux

package process

import (
	"bytes"
	"context"
	"io"
	"math"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// Proves that whatever the other end says of what it wrote, a reader gets all of it, and that
// one which waits in vain tries less and less often, within a bound.
func TestSpinReaderBelievesNothing(t *testing.T) {
	for _, says := range []uint64{0, 1, math.MaxUint64, 1 << 63} {
		text := bytes.Repeat([]byte("0123456789"), 100)
		var wrote atomic.Uint64
		wrote.Store(says)
		r := &spinReader{from: bytes.NewReader(text), wrote: &wrote}
		var got []byte
		for part := make([]byte, 7); ; {
			n, err := r.Read(part)
			got = append(got, part[:n]...)
			if err == io.EOF {
				break
			}
			if r.skip > r.vain || r.vain > spinVainest {
				t.Fatalf("%d of %d", r.skip, r.vain)
			}
		}
		if !bytes.Equal(got, text) {
			t.Errorf("%d: %q", says, got)
		}
		if says == 0 && r.vain != spinVainest {
			t.Errorf("still %d after 143 waits in vain", r.vain)
		}
	}
}

// Proves that a tally is what was written, and that a reader of it never waits for what is there.
func TestTally(t *testing.T) {
	in, out, err := newPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	var wrote atomic.Uint64
	w, r := tallyWriter{out, &wrote}, &spinReader{from: in, wrote: &wrote}
	for n := range 100 {
		text := strings.Repeat("x", n+1)
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if !r.ready() {
			t.Fatal("not ready")
		}
		if _, err := io.ReadFull(r, make([]byte, len(text))); err != nil || r.ready() || r.vain != 0 {
			t.Fatalf("%v %+v", err, r)
		}
	}
}

// Proves that a batch of messages of any length passes while the child waits to be rid of an
// answer that its pipe does not hold.
func TestPartsFitThePipes(t *testing.T) {
	w, _ := newWorker(t, nil, nil)
	for _, size := range []int{1, 200, 2 << 10, 2200, 4<<10 + 1, 6 << 10, 70 << 10} {
		in, answers := make([]runtime.Message, 400), make([]runtime.Answer, 400)
		for i := range in {
			if in[i] = message("shout " + strings.Repeat("x", size)); i%100 == 0 {
				in[i] = message("blast")
			}
		}
		w.ApplyBatch(t.Context(), in, answers)
		for i, a := range answers {
			want := strings.ToUpper(string(in[i].Payload))
			if i%100 == 0 {
				want = strings.Repeat("x", 1<<20)
			}
			if a.Err != nil || string(a.Out[0].Payload) != want {
				t.Fatalf("%d bytes, message %d: %v", size, i, a.Err)
			}
		}
	}
}

// Proves that the limit of CPU time moves on while messages cost their guest nothing: what is
// spent around them must not end the child.
func TestLimitOfCPUMovesOn(t *testing.T) {
	w, _ := newWorker(t, nil, nil)
	limit := func() uint64 {
		r, err := w.Apply(t.Context(), message("limit"))
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.ParseUint(string(r.Out[0].Payload), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for first, began := limit(), time.Now(); limit() == first; {
		if time.Since(began) > time.Minute {
			t.Fatal("the same for a minute")
		}
	}
}

// Proves that a child which says that it is idle while it owes an answer is ended, after the
// time that a start may take, and none that was idle before it was asked.
func TestIdleForEver(t *testing.T) {
	p, file, err := newPage()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	defer p.release()
	killed := 0
	c := &child{budget: beast{}.Defaults(), page: p, kill: func() { killed++ }}
	now := time.Now()
	for n := range 3 { // calls, an hour apart
		asked := &call{context.Background()}
		c.judge(asked, now)
		c.judge(asked, now.Add(loadTime))
		if killed > 0 {
			t.Fatalf("killed in call %d", n)
		}
		now = now.Add(time.Hour)
	}
	asked := &call{context.Background()}
	c.judge(asked, now)
	c.judge(asked, now.Add(loadTime+time.Second))
	c.judge(asked, now.Add(2*loadTime))
	if killed != 1 {
		t.Errorf("killed %d times", killed)
	}
}
