package stage

import (
	"context"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/store"
)

// commit writes the step at hand as one, and begins the next. Offsets are known only while nobody
// else appends, so that the clocks of this step's own outputs are put into its emissions here: each comes
// after those before it.
func (t *task) commit(ctx context.Context) error {
	write, err := topic.Begin(ctx, t.stage.log)
	if err != nil {
		return err
	}
	if err := t.appendAll(write); err != nil {
		write.Abort()
		return err
	}
	for _, m := range t.protocol.Flush() {
		t.stored.forget(m.Key)
		write.SetState(t.id, m.Key, m.Value)
	}
	for key, state := range t.step.folds {
		write.SetFold(t.id, []byte(key), state)
	}
	for _, l := range t.step.letters {
		write.PutLetter(l)
	}
	for _, id := range t.step.deleted {
		write.DeleteLetter(id)
	}
	t.setPositions(write)
	if err := write.Commit(); err != nil {
		return err
	}
	t.counts.Emitted += int64(len(t.step.emissions))
	t.counts.Letters += int64(len(t.step.letters))
	t.step.reset()
	return nil
}

// appendAll appends all emissions before the protocol hears of one: of what is aborted nothing may be claimed.
func (t *task) appendAll(write *store.Step) error {
	var own causal.Session
	for _, e := range t.step.emissions {
		at, err := topic.Append(write, e.Record, e.stamp.Merge(own.Stamp()))
		if err != nil {
			return err
		}
		own.Appended(at)
	}
	for at := range own.Stamp().All() {
		if err := t.protocol.Appended(at); err != nil {
			return err
		}
	}
	return nil
}

// setPositions writes how far each input was consumed, where that changed.
func (t *task) setPositions(write *store.Step) {
	for _, in := range t.inputs {
		position, seen := t.protocol.Position(in.channel)
		if !seen || position == in.written {
			continue
		}
		write.SetPosition(t.id, store.TopicID(in.channel.Topic), in.channel.Partition, position)
		in.written = position
	}
}
