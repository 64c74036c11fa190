package stage

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/leat-run/leat/engine/causal"
)

// Hold is a record at the head of its channel that waits for its causes. Its JSON form is that
// of `leat stage holds --json`.
type Hold struct {
	Stage         string    `json:"stage"`
	Topic         string    `json:"topic"`
	Partition     int32     `json:"partition"`
	Offset        int64     `json:"offset"`
	HeldMS        int64     `json:"held_ms"` // since this process has known of it
	WaitingBehind int64     `json:"waiting_behind"`
	Missing       []Missing `json:"missing"`
	// Cycle are the heads of a ring of records that wait for one another, as topic:partition@offset:
	// somebody stamps falsely. Nil where there is none.
	Cycle []string `json:"cycle,omitempty"`
}

// Missing is one cause that was not delivered here yet.
type Missing struct {
	Topic     string      `json:"topic"`
	Partition int32       `json:"partition"`
	Offset    int64       `json:"offset"`
	Code      causal.Code `json:"code"`
	Frontier  int64       `json:"frontier"` // -1: nothing was delivered yet
	Position  int64       `json:"position"`
}

func placeSuffix(c causal.Coordinate) string {
	return fmt.Sprintf(":%d@%d", c.Channel.Partition, c.Offset)
}

// holding remembers since when each head waits, and of which that was said.
type holding struct {
	since  map[causal.Coordinate]time.Time
	warned map[causal.Coordinate]bool
}

// holds lists the heads that wait now.
func (t *task) holds() []Hold {
	now, s := t.stage.opt.Now(), t.stage
	held := t.protocol.Holds()
	since := make(map[causal.Coordinate]time.Time, len(held))
	out := make([]Hold, len(held))
	for i, h := range held {
		at, known := t.holding.since[h.At]
		if !known {
			at = now
		}
		since[h.At] = at
		out[i] = Hold{
			Stage: t.id.Stage, Topic: s.topicName(h.At.Channel.Topic), Partition: h.At.Channel.Partition, Offset: h.At.Offset,
			HeldMS: now.Sub(at).Milliseconds(), WaitingBehind: h.Behind,
		}
		for _, m := range h.Missing {
			out[i].Missing = append(out[i].Missing, Missing{
				s.topicName(m.Cause.Channel.Topic), m.Cause.Channel.Partition, m.Cause.Offset, m.Code, m.Frontier, m.Position,
			})
		}
		for _, c := range h.Cycle {
			out[i].Cycle = append(out[i].Cycle, s.topicName(c.Channel.Topic)+placeSuffix(c))
		}
	}
	t.holding.since = since
	return out
}

// warnOfHolds says once of each head that it waits longer than the document finds normal.
func (t *task) warnOfHolds(holds []Hold) {
	s := t.stage
	warned := make(map[causal.Coordinate]bool, len(holds))
	for i, h := range t.protocol.Holds() {
		late := holds[i].HeldMS >= s.plan.HoldWarningAfter.Milliseconds()
		if warned[h.At] = late; !late || t.holding.warned[h.At] {
			continue
		}
		first := holds[i].Missing[0]
		s.opt.Logger.Warn("stage: a record waits for its causes", "record", s.place(h.At), "held", time.Duration(holds[i].HeldMS)*time.Millisecond,
			"waiting_behind", h.Behind, "missing", first.Topic+placeSuffix(h.Missing[0].Cause), "code", first.Code, "frontier", first.Frontier, "position", first.Position)
	}
	t.holding.warned = warned
}

// Holds lists the records at the head of their channels that wait for their causes, by partition and
// topic, as the last steps left them.
func (s *Stage) Holds() (out []Hold) {
	for _, t := range s.tasks {
		out = append(out, t.snapshot().holds...)
	}
	slices.SortStableFunc(out, func(a, b Hold) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Topic, b.Topic))
	})
	return out
}
