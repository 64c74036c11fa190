package process

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/leat-run/leat/runtime"
)

// transform is one worker's child. It belongs to one goroutine at a time.
type transform struct {
	module *module
	host   runtime.Host
	child  *child // nil after one died, until the next message
	used   bool   // its instance has a history
	spent  runtime.Recycle

	todo        []int       // of the batch at hand: messages without an answer
	room        []int       // what todo began in, to begin the next one in
	unexplained int         // deaths since the last answer that met no message
	met         map[int]int // of the batch at hand: how many deaths from outside a message met
	one         struct {
		in  [1]runtime.Message
		out [1]runtime.Answer
	}
}

var _ runtime.Batch = (*transform)(nil)

// ensure makes a child where there is none.
func (t *transform) ensure(ctx context.Context) error {
	if t.child != nil {
		return nil
	}
	t.used = false
	if t.child = t.module.take(); t.child != nil {
		return nil
	}
	c, _, err := t.module.start(ctx)
	t.child = c
	return err
}

// Apply runs one message.
func (t *transform) Apply(ctx context.Context, in runtime.Message) (runtime.Result, error) {
	t.one.in[0] = in
	t.ApplyBatch(ctx, t.one.in[:], t.one.out[:])
	a := t.one.out[0]
	t.one.in[0], t.one.out[0] = runtime.Message{}, runtime.Answer{}
	t.spent = a.Recycled
	return a.Result, a.Err
}

// ApplyBatch runs messages with many of them in flight. See runtime.Batch.
func (t *transform) ApplyBatch(ctx context.Context, in []runtime.Message, answers []runtime.Answer) {
	t.spent, t.unexplained, t.met, t.todo = runtime.RecycleNone, 0, nil, t.room[:0]
	for i := range in {
		answers[i] = runtime.Answer{}
		if failure := tooLarge(&in[i], t.module.budget); failure != nil {
			answers[i].Err = failure
			continue
		}
		t.todo = append(t.todo, i)
	}
	t.room = t.todo
	for len(t.todo) > 0 {
		err := ctx.Err()
		if err == nil {
			if err = t.ensure(ctx); err != nil && ctx.Err() == nil {
				err = fmt.Errorf("%w: %v", runtime.ErrNoInstance, err)
			}
		}
		if err == nil {
			err = t.round(ctx, in, answers)
		}
		if err != nil {
			t.refuse(answers, err)
		}
	}
}

// refuse ends the batch: no message that has no answer was processed.
func (t *transform) refuse(answers []runtime.Answer, err error) {
	for _, i := range t.todo {
		answers[i] = runtime.Answer{Err: err}
	}
	t.todo = t.todo[:0]
}

// round gives messages to the child and takes the answers. When the child dies, the message
// that it was running is answered with its failure. An error ends the batch.
func (t *transform) round(ctx context.Context, in []runtime.Message, answers []runtime.Answer) error {
	c := t.child
	before := c.sent
	c.begin(ctx)
	n, unsent := c.send(in, t.todo)
	if unsent != nil && !errors.Is(unsent, syscall.EPIPE) {
		c.kill() // or it would wait for what does not come
	}
	done, outs := 0, make(outputs, n)
	var err error
	for ; done < n; done++ {
		i := t.todo[done]
		var logs []logged
		if logs, err = c.receive(&in[i], &outs, &answers[i]); err != nil {
			answers[i] = runtime.Answer{}
			break
		}
		t.log(logs)
		t.used = answers[i].Recycled == runtime.RecycleNone
	}
	if err == nil {
		err = unsent
	}
	c.end()
	t.todo = t.todo[done:]
	if done > 0 {
		t.unexplained = 0
	}
	if err == nil {
		return nil
	}
	return t.bury(ctx, err, before+uint64(done), answers)
}

// bury takes leave of a child after an exchange failed. answered is how many messages of the
// child have their answer.
func (t *transform) bury(ctx context.Context, cause error, answered uint64, answers []runtime.Answer) error {
	c := t.child
	t.child = nil
	var running uint64
	if !errors.Is(cause, errMalformed) {
		<-endOf(c)
		running = c.page.running.Load()
	}
	c.close()
	if err := ctx.Err(); err != nil {
		return err
	}
	d := c.death()
	if errors.Is(cause, errMalformed) {
		d = death{exit: exit{says: "broke the protocol: " + cause.Error()}, kind: runtime.KindCrash}
		running = answered + 1 // whose answer it was
	}
	at := running - answered - 1
	if running&pageStarting != 0 || running <= answered || at >= uint64(len(t.todo)) || c.late(running) {
		if t.unexplained++; t.unexplained < outsideDeaths {
			return nil
		}
		return fmt.Errorf("%w: the child process %s %d times between messages", runtime.ErrNoInstance, d.says, t.unexplained)
	}
	if !d.outside || t.meets(t.todo[at]) >= outsideDeaths {
		t.convict(answers, int(at), &d)
	}
	return nil
}

// meets counts a death from outside that met a message of the batch, and returns how many did.
func (t *transform) meets(i int) int {
	if t.met == nil {
		t.met = map[int]int{}
	}
	t.met[i]++
	return t.met[i]
}

// endOf kills a child that has closed its pipe without ending, after a while.
func endOf(c *child) <-chan struct{} {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-c.gone:
	case <-timer.C:
		c.kill()
	}
	return c.gone
}

// convict answers the message at todo[at] with the death of its child.
func (t *transform) convict(answers []runtime.Answer, at int, d *death) {
	failure := d.failure()
	var ran time.Duration
	if failure.Kind == runtime.KindTimeout {
		ran = time.Duration(failure.Measured) * time.Millisecond
	}
	answers[t.todo[at]] = runtime.Answer{
		Result: runtime.Result{Usage: runtime.Usage{Duration: ran}}, Err: failure, Recycled: runtime.RecycleFailure,
	}
	t.todo = append(t.todo[:at], t.todo[at+1:]...)
	t.unexplained = 0
}

func (t *transform) log(lines []logged) {
	if t.host.Log == nil {
		return
	}
	for _, l := range lines {
		t.host.Log(l.level, l.text)
	}
}

// Spent says why this worker's instance was replaced by the last Apply.
func (t *transform) Spent() runtime.Recycle { return t.spent }

// Close gives the child back if its instance is as new, and ends it otherwise. It is idempotent.
func (t *transform) Close() error {
	c := t.child
	t.child = nil
	switch {
	case c == nil:
	case t.used:
		c.close()
	default:
		t.module.put(c)
	}
	return nil
}

// tooLarge refuses what a child has no room for.
func tooLarge(m *runtime.Message, b runtime.Budget) *runtime.Failure {
	size, limit := int64(len(m.Payload)), b.Input
	what, hint := "the payload", "raise the node's budget.input, or split the message before this node"
	if size <= limit {
		what, hint, limit = "the message's key and meta", "hold less in meta", maxExtra
		size = int64(len(m.Key) + len(m.ID) + len(m.Source) + len(m.Codec))
		for key, value := range m.Meta {
			size += int64(len(key) + len(value) + 16)
		}
	}
	if size <= limit {
		return nil
	}
	return &runtime.Failure{
		Kind: runtime.KindInput, Deterministic: true, Measured: size, Limit: limit, Hint: hint,
		Message: fmt.Sprintf("%s has %d bytes", what, size),
	}
}
