package engine

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// again makes l, the record of a failure under a name of its own, the next state of the
// letter that its row replays: one message has one record, which moves with it to the node
// that failed now. A replay that fails in several branches has a record for each: the first
// failure takes the letter's, the others have new ones.
//
// A row that a crash runs again finds the new ones by their names, so that they are replaced
// and the letter's record is left to the failure that has none.
func (e *Engine) again(l *store.DeadLetter) error {
	id, into := e.letters.replaying(l.SpoolSeq)
	if id == "" {
		return nil
	}
	switch _, err := e.store.Letter(l.ID); {
	case err == nil:
		return nil
	case !errors.Is(err, store.ErrNotFound):
		return fmt.Errorf("engine: read dead letter %s: %w", l.ID, err)
	}
	earlier, err := e.store.Letter(id)
	gone := errors.Is(err, store.ErrNotFound)
	if err != nil && !gone {
		return fmt.Errorf("engine: read dead letter %s: %w", id, err)
	}
	if !e.letters.take(l.SpoolSeq) {
		return nil
	}
	if l.ID = id; gone {
		earlier = store.DeadLetter{CreatedAt: l.CreatedAt} // the row knows which replay it is
	}
	e.succeed(l, &earlier, into)
	return nil
}

// succeed makes l follow on the earlier record. into is the node that the replay entered.
func (e *Engine) succeed(l, earlier *store.DeadLetter, into string) {
	l.CreatedAt = earlier.CreatedAt
	l.Attempts += earlier.Attempts
	l.ReplayCount = earlier.ReplayCount + 1
	if replays, err := strconv.Atoi(l.Message.Meta[runtime.MetaReplayCount]); err == nil {
		l.ReplayCount = max(earlier.ReplayCount, replays) // a row that a crash runs again is the same replay
	}
	l.Quarantined = earlier.Quarantined || l.ReplayCount >= max(e.plan.DLQ.MaxReplays, 1)
	if l.Node == into && l.Node == earlier.Node {
		l.Edge, l.Message, l.PayloadLength = earlier.Edge, earlier.Message, earlier.PayloadLength
		return
	}
	l.Message.Meta = withoutReplay(l.Message.Meta)
}

// withoutReplay is meta without the stamps of a replay (replayMeta).
func withoutReplay(meta runtime.Meta) runtime.Meta {
	var out runtime.Meta
	for name, value := range meta {
		switch name {
		case runtime.MetaIsReplay, runtime.MetaOriginalID, runtime.MetaReplayCount, runtime.MetaOriginalSeq:
		default:
			out = out.With(name, value)
		}
	}
	return out
}
