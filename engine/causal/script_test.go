package causal

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestScripts runs the scripts under testdata/script: the rules of the protocol as transcripts, with
// the reason beside each. Commands:
//
//	topic NAME[:P] START END       what the log holds (it grows with what is received); "topic NAME gone" deletes it
//	start inputs=(..) sinks=(..) [latest=(..)] [accept-loss] [positions=(orders@3 ..)]
//	receive                        one record a line: PLACE [claims ..]; delivers all that can be
//	hold-back                      the same, without delivering
//	advance CHANNEL POSITION
//	deliver                        everything that can be
//	block CHANNEL, unblock CHANNEL
//	emit SINK@OFFSET               stamps an emission and says where it went
//	truncate                       with the log starts as they are
//	flush                          writes the step; prints the mutations
//	crash                          drops what was not flushed
//	state, holds, counts, store
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/script", func(t *testing.T, path string) {
		w := newWorld()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			out := w.run(d)
			if w.task != nil && w.task.failed == nil {
				if err := w.check(); err != nil {
					d.Fatalf(t, "invariant: %v", err)
				}
			}
			if out == "" {
				return "ok\n"
			}
			return w.readable(out)
		})
	})
}

func (w *world) run(d *datadriven.TestData) string {
	word := func(i int) string { return d.CmdArgs[i].Key }
	switch d.Cmd {
	case "topic":
		return w.runTopic(d)
	case "start":
		return w.runStart(d)
	case "receive", "hold-back":
		return w.runReceive(d.Input, d.Cmd == "receive")
	case "advance":
		return lines(w.advance(word(0), number(word(1))))
	case "deliver":
		return lines(w.drain())
	case "block":
		return lines(nil, w.task.Block(channel(word(0))))
	case "unblock":
		return lines(nil, w.task.Unblock(channel(word(0))))
	case "emit":
		w.reach(at(word(0)).Channel, at(word(0)).Offset+1)
		clock := w.task.Stamp()
		return lines([]string{word(0) + " " + textOf(clock)}, w.task.Appended(at(word(0))))
	case "truncate":
		return w.runTruncate()
	case "flush":
		return w.runFlush()
	case "crash":
		w.task = nil
		return ""
	case "state":
		return w.stateText()
	case "holds":
		return w.holdsText()
	case "counts":
		return fmt.Sprintf("%+v\n", w.task.Counts())
	}
	return "unknown command " + d.Cmd
}

func (w *world) runTopic(d *datadriven.TestData) string {
	name := d.CmdArgs[0].Key
	if d.CmdArgs[1].Key == "gone" {
		delete(w.topics, name)
		return ""
	}
	w.extent(channel(name), Extent{number(d.CmdArgs[1].Key), number(d.CmdArgs[2].Key)})
	return ""
}

func (w *world) runStart(d *datadriven.TestData) string {
	words := func(key string) string {
		for _, a := range d.CmdArgs {
			if a.Key == key {
				return strings.Join(a.Vals, " ")
			}
		}
		return ""
	}
	decl := declare(words("inputs"), words("sinks"))
	decl.AcceptLoss = d.HasArg("accept-loss")
	for i, in := range decl.Inputs {
		if strings.Contains(" "+words("latest")+" ", " "+nameOf(in.Channel)+" ") {
			decl.Inputs[i].Origin = Latest
		}
		for _, p := range strings.Fields(words("positions")) {
			if at(p).Channel == in.Channel {
				decl.Inputs[i].Position = at(p).Offset
			}
		}
	}
	if err := w.restore(decl); err != nil {
		return "refused: " + err.Error() + "\n"
	}
	return startText(w.start)
}

func startText(s Start) string {
	var b strings.Builder
	for _, j := range s.Joined {
		if j.Known {
			fmt.Fprintf(&b, "joined %s, nothing up to %d\n", nameOf(j.Channel), j.Seed)
		} else {
			fmt.Fprintf(&b, "joined %s\n", nameOf(j.Channel))
		}
	}
	for _, l := range s.Left {
		fmt.Fprintf(&b, "left %s%s\n", nameOf(l.Channel), map[bool]string{true: " (gone)"}[l.Gone])
	}
	for _, l := range s.FormerSinks {
		fmt.Fprintf(&b, "former sink %s%s\n", nameOf(l.Channel), map[bool]string{true: " (gone)"}[l.Gone])
	}
	for _, g := range s.Lost {
		fmt.Fprintf(&b, "lost %s %d..%d (%d offsets)\n", nameOf(g.Channel), g.From, g.Through, g.Offsets())
	}
	for _, f := range s.Fetch {
		fmt.Fprintf(&b, "fetch %s\n", placeOf(f))
	}
	if s.Held > 0 {
		fmt.Fprintf(&b, "held %d\n", s.Held)
	}
	return b.String()
}

func (w *world) runReceive(input string, deliver bool) string {
	var b strings.Builder
	for line := range strings.Lines(input) {
		fields := strings.Fields(line)
		w.reach(at(fields[0]).Channel, at(fields[0]).Offset+1)
		replays := w.task.counts.Replays
		if err := w.task.Receive(fetched(fields[0], fields[1:]...)); err != nil {
			fmt.Fprintf(&b, "%s: error: %v\n", fields[0], err)
			continue
		}
		if w.task.counts.Replays > replays {
			fmt.Fprintf(&b, "%s: replay, dropped\n", fields[0])
			continue
		}
		var delivered []string
		if deliver {
			delivered, _ = w.drain()
		}
		if delivered == nil {
			fmt.Fprintf(&b, "%s: held\n", fields[0])
			continue
		}
		fmt.Fprintf(&b, "%s: delivered %s\n", fields[0], strings.Join(delivered, ", "))
	}
	return b.String()
}

func (w *world) runTruncate() string {
	bounds, err := Bounds(w.task.Truncatable(), w, w)
	if err != nil {
		return err.Error()
	}
	removed, err := w.task.Truncate(bounds)
	return lines([]string{fmt.Sprintf("removed %d", removed)}, err)
}

func (w *world) runFlush() string {
	var b strings.Builder
	for _, m := range w.flush() {
		if m.Deletes() {
			fmt.Fprintf(&b, "delete %s\n", m.Key)
			continue
		}
		fmt.Fprintf(&b, "put    %s (%d bytes)\n", m.Key, len(m.Value))
	}
	return b.String()
}

func (w *world) stateText() string {
	var b strings.Builder
	for _, in := range w.task.inputs {
		frontier := "none"
		if in.seen {
			frontier = fmt.Sprint(in.frontier)
		}
		fmt.Fprintf(&b, "%s: frontier %s, position %d, held %d, advertised %s\n",
			nameOf(in.channel), frontier, in.position, in.queue.len(), textOf(in.advertised.clock()))
	}
	fmt.Fprintf(&b, "carried %s\nown     %s\nstamp   %s\n",
		textOf(w.task.carried.clock()), textOf(w.task.own.clock()), textOf(w.task.Stamp()))
	return b.String()
}

func (w *world) holdsText() string {
	var b strings.Builder
	for _, h := range w.task.Holds() {
		fmt.Fprintf(&b, "%s, waiting_behind %d\n", placeOf(h.At), h.Behind)
		for _, m := range h.Missing {
			fmt.Fprintf(&b, "  %s %s (frontier %d, position %d)\n", placeOf(m.Cause), m.Code, m.Frontier, m.Position)
		}
		for _, c := range h.Cycle {
			fmt.Fprintf(&b, "  in a cycle: %s\n", placeOf(c))
		}
	}
	if b.Len() == 0 {
		return "nothing waits\n"
	}
	return b.String()
}

func lines(texts []string, err error) string {
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	if len(texts) == 0 {
		return ""
	}
	return strings.Join(texts, "\n") + "\n"
}
