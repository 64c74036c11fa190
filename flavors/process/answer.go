package process

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"github.com/leat-run/leat/runtime"
)

// logged is one line of a guest's log, on its way to the parent's Host.
type logged struct{ level, text string }

// answer is what the child says about one message.
type answer struct {
	runtime.Answer
	logs []logged
}

const (
	answerNull    byte = 1 << iota
	answerFailure      // Err is a *runtime.Failure
	answerError        // Err is the world's, as a text
	answerRecycled
	answerLogs
)

func (a *answer) flags(failure *runtime.Failure) (flags byte) {
	if a.Null {
		flags |= answerNull
	}
	switch {
	case failure != nil:
		flags |= answerFailure
	case a.Err != nil:
		flags |= answerError
	}
	if a.Recycled != runtime.RecycleNone {
		flags |= answerRecycled
	}
	if len(a.logs) > 0 {
		flags |= answerLogs
	}
	return flags
}

// appendAnswer appends what became of in.
func appendAnswer(b []byte, a *answer, in *runtime.Message) []byte {
	failure, _ := errors.AsType[*runtime.Failure](a.Err)
	flags := a.flags(failure)
	b = append(b, flags)
	b = appendUsage(b, &a.Usage)
	b = binary.AppendUvarint(b, uint64(len(a.Out)))
	for i := range a.Out {
		b = appendOutput(b, &a.Out[i], in)
	}
	if flags&answerFailure != 0 {
		b = appendFailure(b, failure)
	}
	if flags&answerError != 0 {
		b = appendText(b, runtime.Cut(a.Err.Error(), runtime.MaxReason))
	}
	if flags&answerRecycled != 0 {
		b = appendText(b, string(a.Recycled))
	}
	if flags&answerLogs != 0 {
		b = binary.AppendUvarint(b, uint64(len(a.logs)))
		for _, l := range a.logs {
			b = appendText(appendText(b, l.level), l.text)
		}
	}
	return b
}

// readAnswer reads an answer to in into a, which is zero. Its outputs are cut from outs.
func readAnswer(r reader, in *runtime.Message, outs *outputs, a *runtime.Answer) (logs []logged, err error) {
	flags := r.byte()
	a.Null = flags&answerNull != 0
	a.Usage = r.usage()
	if n := r.count(); n > 0 {
		a.Out = outs.cut(n)
		for range n {
			if r.err == nil {
				a.Out = append(a.Out, *in)
				r.output(&a.Out[len(a.Out)-1])
			}
		}
	}
	if flags&answerFailure != 0 {
		a.Err = r.failure()
	}
	if flags&answerError != 0 {
		a.Err = errors.New(runtime.Cut(r.text(), runtime.MaxReason))
	}
	if flags&answerRecycled != 0 {
		if a.Recycled = runtime.Recycle(r.text()); a.Recycled != runtime.RecycleMemory {
			a.Recycled = runtime.RecycleFailure
		}
	}
	if flags&answerLogs != 0 {
		for range r.count() {
			if r.err == nil {
				logs = append(logs, logged{r.text(), r.text()})
			}
		}
	}
	return logs, r.end()
}

// outputs is what the outputs of a batch are cut from, so that not each is an allocation.
type outputs []runtime.Message

// cut returns an empty slice with room for n messages, or for less where n is not believed yet.
func (o *outputs) cut(n int) []runtime.Message {
	if n > len(*o) {
		return make([]runtime.Message, 0, min(n, 1024))
	}
	out := (*o)[:0:n]
	*o = (*o)[n:]
	return out
}

func appendUsage(b []byte, u *runtime.Usage) []byte {
	b = binary.AppendVarint(b, u.Fuel)
	b = binary.AppendVarint(b, int64(u.Duration))
	return binary.AppendVarint(b, u.Memory)
}

func (r *reader) usage() runtime.Usage {
	return runtime.Usage{Fuel: r.int(), Duration: time.Duration(r.int()), Memory: r.int()}
}

// appendFailure appends all of a failure but its cause, which has no form outside its process.
func appendFailure(b []byte, f *runtime.Failure) []byte {
	deterministic := byte(0)
	if f.Deterministic {
		deterministic = 1
	}
	b = append(b, deterministic)
	for _, text := range []string{string(f.Kind), f.Message, f.Hint, f.Backtrace, f.File, f.Excerpt, f.Log} {
		b = appendText(b, text)
	}
	for _, number := range []int64{int64(f.Line), int64(f.Column), f.Measured, f.Limit} {
		b = binary.AppendVarint(b, number)
	}
	return b
}

func (r *reader) failure() *runtime.Failure {
	f := &runtime.Failure{Deterministic: r.byte() == 1}
	if f.Kind = runtime.Kind(r.text()); !slices.Contains(runtime.Kinds(), f.Kind) {
		f.Kind = runtime.KindOther
	}
	for _, text := range []*string{&f.Message, &f.Hint, &f.Backtrace, &f.File, &f.Excerpt, &f.Log} {
		*text = runtime.Cut(r.text(), runtime.MaxReason)
	}
	f.Line, f.Column = int(r.int()), int(r.int())
	f.Measured, f.Limit = r.int(), r.int()
	return f
}
