package runtime

import "context"

// Batch is a Transform that is cheaper per message when it has several at hand: one in
// another process (flavors/process). It is optional.
type Batch interface {
	Transform
	// ApplyBatch is Apply on each message of in, in order: answers[i] is what became of
	// in[i]. It replaces spent instances between messages by itself and says so in the
	// answers. REQUIRES: len(answers) == len(in).
	ApplyBatch(ctx context.Context, in []Message, answers []Answer)
}

// Answer is what one message of a batch came to.
type Answer struct {
	Result
	// Err is as Apply returns it.
	Err error
	// Recycled is why the instance was replaced after this message.
	Recycled Recycle
}

// Batches says that the instance has ApplyBatch.
func (w *Worker) Batches() bool {
	_, ok := w.instance.(Batch)
	return ok
}

// ApplyBatch is Apply on each of in, through the instance's own ApplyBatch where it has one.
// REQUIRES: len(answers) == len(in).
func (w *Worker) ApplyBatch(ctx context.Context, in []Message, answers []Answer) {
	err := w.again(ctx)
	batch, ok := w.instance.(Batch)
	switch {
	case err != nil:
		for i := range answers {
			answers[i] = Answer{Err: err}
		}
		return
	case !ok:
		for i := range in {
			answers[i] = Answer{}
			answers[i].Result, answers[i].Err = w.Apply(ctx, in[i])
		}
		return
	}
	batch.ApplyBatch(ctx, in, answers)
	for i := range answers {
		if answers[i].Recycled != RecycleNone && w.onRecycle != nil {
			w.onRecycle(answers[i].Recycled)
		}
	}
	if batch.Spent() == RecycleNone {
		return
	}
	if err := w.Close(); err != nil && len(answers) > 0 && answers[len(answers)-1].Err == nil {
		answers[len(answers)-1].Err = err
	}
}

// Ready makes an instance where there is none, so that the next Apply starts at once.
func (w *Worker) Ready(ctx context.Context) error { return w.ensure(ctx) }
