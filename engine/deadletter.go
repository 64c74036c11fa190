package engine

import (
	"context"
	"errors"
	"time"

	"github.com/leat-run/leat/engine/commit"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// fault is a branch that cannot go on, as the step that failed knows it.
type fault struct {
	seq      runtime.Seq
	msg      *runtime.Message // as it entered the node
	node     string
	edge     *edge // nil at a source
	class    string
	failure  *runtime.Failure
	attempts int
	usage    runtime.Usage
	flavor   string
	digest   string
	cut      int64 // the length of the whole payload where msg has its start only; -1: not known
}

const (
	// letterPayload is what is kept of a payload that is beyond its bound.
	letterPayload = 64 << 10
	// letterMost is the bound where the node has none of its own.
	letterMost = 8 << 20
)

// deadLetter takes a fault over: the branch ends once its record is durable, which it tries
// for ever; until then the message's commit waits (promise 4). An error says that the run
// ends first, or that the earlier record cannot be read: the branch stays open and is
// replayed.
func (e *Engine) deadLetter(f *fault) error {
	letter, err := e.letter(f)
	if err != nil {
		return err
	}
	own := *f
	own.msg = nil // it may be reused from here on
	if err := e.writer.start(e.work, func() { e.writeLetter(&own, &letter) }); err != nil {
		return err
	}
	e.flood(f.seq)
	return nil
}

// writeLetter makes the record durable, and then ends the branch.
func (e *Engine) writeLetter(f *fault, letter *store.DeadLetter) {
	for {
		err := e.store.PutLetter(*letter)
		if err == nil {
			break
		}
		if e.letterTrouble(err) != nil {
			return
		}
	}
	e.letters.failedAgain(f.seq, letter.ID, f.node, LetterFault{Kind: f.failure.Kind, Reason: f.failure.Message})
	e.written.add(f.node, f.class, f.failure.Kind)
	e.apply([]commit.Event{{Seq: f.seq, Ending: commit.DeadLettered}})
}

// letterTrouble waits before the next try, or says that there is none.
func (e *Engine) letterTrouble(cause error) error {
	if errors.Is(cause, store.ErrFailed) || errors.Is(cause, store.ErrClosed) {
		e.fail(FailureStore, "", cause)
		return cause
	}
	e.waitingLetters.Add(1)
	defer e.waitingLetters.Add(-1)
	if e.onceAMinute(&e.letterWarned) {
		e.log.Warn("a dead letter cannot be written: its message waits", "error", cause)
	}
	return sleep(e.work, e.opt.LetterBackoff)
}

// letter makes the record: a new one, or that of the letter which is replayed (again).
func (e *Engine) letter(f *fault) (store.DeadLetter, error) {
	now := e.now()
	l := store.DeadLetter{
		Pipeline: e.plan.Name, Node: f.node, Flavor: f.flavor, Class: f.class,
		Failure: f.failure, Reason: runtime.Cut(f.failure.Message, runtime.MaxReason), Attempts: f.attempts,
		SpoolSeq: f.seq, RunID: e.opt.RunID, CreatedAt: now, FailedAt: now, CodeDigest: f.digest,
		Usage: f.usage, Message: *f.msg,
	}
	if f.edge != nil && f.edge.From != "" { // an injection came along none
		l.Edge = f.edge.From + "->" + f.edge.To
	}
	l.PayloadLength = f.cut
	e.cutPayload(&l)
	l.ID = e.letterID(f.seq, l.Node, l.Edge, f.msg)
	return l, e.again(&l)
}

func (e *Engine) letterID(seq runtime.Seq, node, edge string, m *runtime.Message) string {
	return e.ids.next(seq, runtime.Seq(e.attempted.Load()), node, edge, m)
}

// cutPayload keeps a payload whole up to its node's bound, and its start beyond.
func (e *Engine) cutPayload(l *store.DeadLetter) {
	most := letterMost
	for _, t := range e.plan.Transforms {
		if t.Name == l.Node && t.Settings.Budget.Input > 0 {
			most = int(t.Settings.Budget.Input)
		}
	}
	if n := len(l.Message.Payload); n > most {
		l.PayloadLength = int64(n)
		l.Message.Payload = l.Message.Payload[:min(letterPayload, n)]
	}
}

// flood ends the run as failed once as many messages as dlq.stop_after says have failed
// within its window, rather than move a whole input into the dead letters.
func (e *Engine) flood(seq runtime.Seq) {
	if e.plan.DLQ.StopFailures > 0 && e.failures.add(seq, e.plan.DLQ.StopFailures, e.plan.DLQ.StopWindow) {
		e.fail(FailureFlood, "", errFlood)
	}
}

var errFlood = errors.New("engine: too many messages failed (dlq.stop_after)")

// sleep waits for d or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
