package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/leat-run/leat/engine/commit"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// crashReplay brings the rows behind the checkpoint back, before any source starts and
// with the workers running. They take gate slots like all others: there are at most as
// many as the gate has, unless the limits shrank, and then the first ones end and make
// room. It ends early, without an error, when the run stops.
type crashReplay struct {
	engine   *Engine
	from     runtime.Seq // rows up to here are committed
	through  runtime.Seq // rows of this run come after it
	suspect  bool        // the last run did not end in order
	outboxes map[string]*outbox
}

// lookBackLeast is how many committed rows are looked at after a crash, at least.
const lookBackLeast = 1000

// errEnough ends the scan.
var errEnough = errors.New("engine: replay is over")

func (e *Engine) replayCrash(checkpoint, last runtime.Seq) error {
	r := &crashReplay{engine: e, from: checkpoint, through: last, suspect: e.unclean, outboxes: map[string]*outbox{}}
	// After a crash a source's state lags the checkpoint: what it emits again begins behind it.
	lookBack := runtime.Seq(0)
	if e.unclean {
		lookBack = min(checkpoint, runtime.Seq(max(e.gate.messages, lookBackLeast)))
	}
	err := e.store.Rows(checkpoint-lookBack, r.row)
	if errors.Is(err, errEnough) || e.intake.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("engine: replay: %w", err)
	}
	return nil
}

func (r *crashReplay) row(row store.Row) error {
	e := r.engine
	if row.Seq > r.through {
		return errEnough
	}
	if !row.Inject {
		r.note(&row)
	}
	if row.Seq <= r.from {
		return nil
	}
	bytes := weigh(&row.Message)
	e.admitting.Add(1)
	defer e.admissionDone()
	if err := e.slots(e.intake, 1, bytes); err != nil {
		return errEnough
	}
	if row.Letter != "" {
		// The letter of a row that has nowhere to go stays: it is all that is left of the message.
		e.letters.add(&letterRow{seq: row.Seq, id: row.Letter, node: row.Node, delete: row.DeleteLetter && e.hasNode(row.Node)})
	}
	e.register(commit.Arrival{First: row.Seq, Bytes: []int64{bytes}, Origin: commit.Origin{Source: commit.Nobody}})
	e.replayed.Add(1)
	return r.engine.dispatchRow(r.outbox(row.Node), &row, r.suspect)
}

// note lets the row's source recognise it.
func (r *crashReplay) note(row *store.Row) {
	for _, s := range r.engine.sources {
		if s.plan.Name == row.Node {
			s.emitter.known.note(row)
		}
	}
}

// outbox is the way out of a source; without a router for a node that does not exist.
func (r *crashReplay) outbox(source string) *outbox {
	o := r.outboxes[source]
	if o == nil {
		o = r.engine.entryOutbox(source)
		r.outboxes[source] = o
	}
	return o
}

func (e *Engine) entryOutbox(source string) *outbox {
	if router := e.topology.sources[source]; router != nil {
		return e.newOutbox(router)
	}
	return &outbox{engine: e}
}

// dispatchRow makes one registered row visible where it belongs.
func (e *Engine) dispatchRow(o *outbox, row *store.Row, suspect bool) error {
	if n := e.topology.nodes[row.Node]; row.Inject && n != nil {
		return e.enterNode(n, row, suspect)
	}
	e.enter(o, row, suspect)
	return o.flush(e.work)
}

// endedBadly returns whether the last run on this store was cut off, and marks this one as
// running until endedWell.
func (e *Engine) endedBadly() (bool, error) {
	state, err := e.store.NodeState(runMarker)
	if err != nil {
		return false, fmt.Errorf("engine: read the run's marker: %w", err)
	}
	if err := e.store.SetNodeState(runMarker, firstRank(), []byte(markRunning)); err != nil {
		return false, fmt.Errorf("engine: write the run's marker: %w", err)
	}
	return string(state) == markRunning, nil
}

// endedWell marks the run as ended in order, unless rows that were in flight at an unclean stop
// have not ended in this run either: the next one suspects them all the same.
func (e *Engine) endedWell() error {
	if e.unclean && e.tracker.Stats().Frontier < e.last {
		return nil
	}
	return e.store.SetNodeState(runMarker, firstRank(), []byte(markEnded))
}

const (
	runMarker   = ":run" // no node can have this name
	markRunning = "running"
	markEnded   = "ended"
)

// suspectWorker is the instance in a child process that a suspect row meets first: only
// the child's death convicts the row (decisions.md, Killer messages).
func (w *worker) suspectWorker(ctx context.Context) (*runtime.Worker, error) {
	if w.suspects != nil {
		return w.suspects, nil
	}
	module, err := w.node.isolated(ctx)
	if err != nil {
		return nil, err
	}
	instance, err := runtime.NewWorker(ctx, module, w.node.host(), w.node.recycled)
	if err != nil {
		return nil, fmt.Errorf("engine: transform %s: run what was in flight at the crash in a child process: %v", w.node.name, err)
	}
	w.suspects = instance
	return instance, nil
}

// applyTo runs d on the worker's instance, or on its child process for a suspect.
func (w *worker) applyTo(ctx context.Context, d *delivery) (runtime.Result, error) {
	if !d.suspect || !w.node.dangerous() {
		return w.instance.Apply(ctx, d.msg)
	}
	instance, err := w.suspectWorker(ctx)
	if err != nil {
		return runtime.Result{}, err
	}
	return instance.Apply(ctx, d.msg)
}

// dangerous says that a message could kill the process in this node, and that a child can
// be asked first.
func (t *transformNode) dangerous() bool {
	return t.engine.opt.Isolated != nil && t.plan.Flavor != splitFlavor && t.plan.Isolation != pipeline.IsolationProcess
}
