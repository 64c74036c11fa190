package commit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/leat-run/leat/runtime"
)

// Every promise of the tracker that a reader can check by hand, told as scripts: the
// scripts in testdata are the specification of arrivals, endings, holes, force and
// positions. Each command prints what the engine would get.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		s := &script{t: t}
		datadriven.RunTest(t, path, s.run)
	})
}

type script struct {
	t *testing.T
	*Tracker
}

func (s *script) run(t *testing.T, d *datadriven.TestData) (out string) {
	defer func() {
		if p := recover(); p != nil {
			out = fmt.Sprintf("panic: %v\n", p)
		}
	}()
	var b strings.Builder
	if d.Cmd == "new" {
		s.start(d, &b)
		return b.String()
	}
	for line := range strings.Lines(d.Input) {
		s.line(strings.Fields(line), &b)
	}
	return b.String()
}

func (s *script) start(d *datadriven.TestData, b *strings.Builder) {
	var checkpoint uint64
	var sources int
	d.MaybeScanArgs(s.t, "checkpoint", &checkpoint)
	d.MaybeScanArgs(s.t, "sources", &sources)
	s.Tracker = New(runtime.Seq(checkpoint), Balance{Committed: checkpoint}, sources)
	fmt.Fprintf(b, "frontier=%d\n", checkpoint)
}

func (s *script) line(f []string, b *strings.Builder) {
	arg := map[string]uint64{}
	for _, pair := range f[1:] {
		name, value, _ := strings.Cut(pair, "=")
		var n uint64
		if _, err := fmt.Sscan(value, &n); err == nil {
			arg[name] = n
		}
	}
	seq := runtime.Seq(arg["seq"])
	fmt.Fprintf(b, "%s:", strings.Join(f, " "))
	switch f[0] {
	case "arrive":
		s.print(b, s.Arrive(arrival(seq, arg, f)))
	case "refuse":
		s.Refuse(int(arg["source"]), arg["index"], int(arg["n"]))
		s.print(b, Freed{})
	case "adopt":
		s.Adopt(seq, arrival(seq, arg, f).Origin)
		s.print(b, Freed{})
	case "open":
		s.print(b, s.Apply(Event{Seq: seq, Open: int32(arg["n"])}))
	case "end":
		s.print(b, s.Apply(Event{Seq: seq, Ending: ending(f[2])}))
	case "force":
		s.print(b, s.Force(seq))
	case "take":
		advance, ok := s.Take()
		fmt.Fprintf(b, " %t through=%d", ok, advance.Through)
		for _, p := range advance.Positions {
			fmt.Fprintf(b, " source%d@%s", p.Source, p.Position)
		}
		b.WriteString("\n")
	case "balance":
		books := s.Stats().Balance
		fmt.Fprintf(b, " %d messages, %+v %v\n", books.Committed, books.Balance, books.Check())
	case "outstanding":
		fmt.Fprintf(b, " %v\n", s.Outstanding(100))
	default:
		b.WriteString(" unknown command\n")
	}
}

func (s *script) print(b *strings.Builder, freed Freed) {
	stats := s.Stats()
	fmt.Fprintf(b, " frontier=%d outstanding=%d branches=%d freed=%d/%dB\n",
		stats.Frontier, stats.Outstanding, stats.Branches, freed.Messages, freed.Bytes)
}

func arrival(seq runtime.Seq, arg map[string]uint64, fields []string) Arrival {
	n := max(int(arg["n"]), 1)
	a := Arrival{First: seq, Bytes: make([]int64, n), Origin: Origin{Source: Nobody}}
	for i := range a.Bytes {
		a.Bytes[i] = 10
	}
	if !strings.Contains(strings.Join(fields, " "), "source=") {
		return a
	}
	a.Origin = Origin{Source: int(arg["source"]), Index: arg["index"]}
	for i := range n {
		a.Origin.Positions = append(a.Origin.Positions, fmt.Appendf(nil, "p%d", arg["index"]+uint64(i)))
	}
	return a
}

func ending(name string) Ending {
	for i, n := range endingNames {
		if n == name {
			return Ending(i)
		}
	}
	panic("no such ending: " + name)
}
