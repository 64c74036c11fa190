package stage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// HeaderReplay is the name of the header that a replayed record has beside its own, so that a guest
// knows that it comes out of its causal position: after what has followed it.
const HeaderReplay = runtime.MetaIsReplay

// maxReplays is after how many failed replays a letter is quarantined.
const maxReplays = 5

// ErrNotOurs is a dead letter of another stage or pipeline.
var ErrNotOurs = errors.New("stage: the dead letter is not of this stage")

// Replay runs the guest again on the records of dead letters, each in a step of its own in the task of
// its partition: the guest sees the state as it is now, with the header HeaderReplay, and what it emits claims all that the stage
// has delivered by now. A letter that succeeds is deleted in that step, so that a replay happens once;
// one that fails again counts the attempt; one of a topic that the stage does not read any more is skipped. While the stage
// runs, its tasks replay between two steps: ctx's end takes back what they have not begun. A stage that does not run replays on the
// caller's goroutine.
func (s *Stage) Replay(ctx context.Context, ids ...string) (r engine.ReplayResult, err error) {
	for _, id := range ids {
		letter, err := s.log.Letter(id)
		if err != nil {
			return r, fmt.Errorf("stage: dead letter %s: %w", id, err)
		}
		one, err := s.replayOne(ctx, letter)
		if err != nil {
			return r, err
		}
		r.Selected++
		switch one.After {
		case "fixed":
			r.Committed++
		case "skipped":
			r.Skipped++
		default:
			r.FailedAgain++
		}
		r.Letters = append(r.Letters, one)
	}
	return r, nil
}

func (s *Stage) replayOne(ctx context.Context, letter store.DeadLetter) (out engine.ReplayedLetter, err error) {
	if letter.Pipeline != s.plan.Name {
		return out, fmt.Errorf("%w: %s", ErrNotOurs, letter.ID)
	}
	record, err := RecordOf(letter.Message)
	if err != nil {
		return out, fmt.Errorf("dead letter %s: %w", letter.ID, err)
	}
	if _, ours := s.names[record.Channel.Topic]; !ours || int(record.Channel.Partition) >= len(s.tasks) {
		return skipped(letter, fmt.Sprintf("the stage does not read its topic %s any more, id %s", letter.Message.Source, record.Channel.Topic)), nil
	}
	t := s.tasks[record.Channel.Partition]
	err = t.do(ctx, func(ctx context.Context) (err error) {
		out, err = t.replay(ctx, letter, record)
		return err
	})
	return out, err
}

func skipped(letter store.DeadLetter, why string) engine.ReplayedLetter {
	return engine.ReplayedLetter{
		ID: letter.ID, Node: letter.Node, Before: faultOf(letter.Failure), After: "skipped", Failure: engine.LetterFault{Reason: why},
	}
}

// request is what others ask of a task. Its context is the run's: who asked may be gone by then, and an error of it ends
// the task, as that of a step would.
type request func(context.Context) error

var errRunEnded = errors.New("stage: the run has ended")

// do runs work on the goroutine that owns the task, between two steps, and waits for it to end.
func (t *task) do(ctx context.Context, work request) error {
	if t.stage.running.TryLock() { // nobody runs it: it is the caller's
		defer t.stage.running.Unlock()
		if t.stage.ran {
			return errRunEnded
		}
		return work(ctx)
	}
	result := make(chan error, 1)
	asked := func(ctx context.Context) error {
		err := work(ctx)
		result <- err
		return err
	}
	select {
	case t.requests <- asked:
		return <-result
	case <-t.over:
		return errRunEnded
	case <-ctx.Done():
		return ctx.Err()
	}
}

// replay reads the letter again: since it was selected, somebody else may have replayed it.
func (t *task) replay(ctx context.Context, before store.DeadLetter, r causal.Record) (out engine.ReplayedLetter, err error) {
	letter, err := t.stage.log.Letter(before.ID)
	if errors.Is(err, store.ErrNotFound) {
		return skipped(before, "it was replayed or deleted meanwhile"), nil
	}
	if err != nil {
		return out, err
	}
	out = engine.ReplayedLetter{ID: letter.ID, Node: letter.Node, Before: faultOf(letter.Failure), After: "fixed"}
	again := r
	again.Headers = append(append([]causal.Header{}, r.Headers...), causal.Header{Name: HeaderReplay, Value: []byte("true")})
	answer, usage, err := t.call(ctx, again)
	var failure *runtime.Failure
	switch {
	case errors.As(err, &failure):
		out.Failure, out.After = faultOf(failure), "other"
		if out.Failure == out.Before {
			out.After = "same"
		}
		t.step.letters = append(t.step.letters, failedAgain(letter, t.letter(r, failure, usage)))
	case err != nil:
		return out, err
	default:
		t.step.take(r, answer, t.protocol.Stamp())
		t.step.deleted = append(t.step.deleted, letter.ID)
		t.report(Delivery{At: r.At(), Record: again, Usage: usage, Emitted: answer.Emit, State: answer.State})
	}
	if err := t.commit(ctx); err != nil {
		t.step.reset() // a stage that does not run yet may still be run, or replay another
		return out, err
	}
	return out, nil
}

func failedAgain(before, after store.DeadLetter) store.DeadLetter {
	after.ID, after.CreatedAt, after.Message = before.ID, before.CreatedAt, before.Message
	after.Attempts = before.Attempts + 1
	after.ReplayCount = before.ReplayCount + 1
	after.Quarantined = before.Quarantined || after.ReplayCount >= maxReplays
	return after
}

func faultOf(f *runtime.Failure) engine.LetterFault {
	if f == nil {
		return engine.LetterFault{}
	}
	return engine.LetterFault{Kind: f.Kind, Reason: f.Message}
}

// RecordOf makes the record again that a stage's dead letter keeps as its message.
func RecordOf(m runtime.Message) (r causal.Record, err error) {
	if r.Channel.Topic, err = causal.ParseTopicID(m.Meta[metaTopicID]); err != nil {
		return r, err
	}
	partition, err := strconv.ParseInt(m.Meta[metaPartition], 10, 32)
	if err != nil || partition < 0 {
		return r, fmt.Errorf("%s is %q", metaPartition, m.Meta[metaPartition])
	}
	r.Channel.Partition = int32(partition)
	if r.Offset, err = strconv.ParseInt(m.Meta[metaOffset], 10, 64); err != nil {
		return r, fmt.Errorf("%s is %q", metaOffset, m.Meta[metaOffset])
	}
	if err := json.Unmarshal([]byte(m.Meta[metaHeaders]), &r.Headers); err != nil {
		return r, fmt.Errorf("%s: %w", metaHeaders, err)
	}
	r.Key, r.Timestamp = m.Key, m.Ingested.UnixMilli()
	if m.Meta[metaNull] != "true" {
		r.Value = append([]byte{}, m.Payload...)
	}
	return r, nil
}
