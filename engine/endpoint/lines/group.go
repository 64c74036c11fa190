package lines

import (
	"fmt"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/runtime"
)

// Bounds of a Group: whichever is reached first makes it full.
const (
	GroupLines = 256
	GroupBytes = 1 << 20
)

// LongLineBytes is how much of an over-long line is kept for its dead letter.
const LongLineBytes = 64 << 10

// Group collects emissions for one emit. The zero value is empty and ready.
type Group struct {
	emissions []engine.Emission
	bytes     int
}

// Add copies a line into the group. An over-long line becomes an emission with a Fault;
// place names it for that ("orders.jsonl line 12").
func (g *Group) Add(line Line, id string, position runtime.Position, limit int, place func() string) {
	e := engine.Emission{ID: id, Position: position}
	text := line.Text
	if line.Long() {
		text = text[:min(len(text), LongLineBytes)]
		e.Fault = longLine(line, len(text), limit, place())
	}
	e.Payload = append(make([]byte, 0, len(text)), text...)
	g.Append(e)
}

// Append puts an emission into the group, which owns its bytes from then on.
func (g *Group) Append(e engine.Emission) {
	g.emissions = append(g.emissions, e)
	g.bytes += len(e.Payload)
}

// Full says that the group is to be emitted now.
func (g *Group) Full() bool {
	return len(g.emissions) >= GroupLines || g.bytes >= GroupBytes
}

// Take returns the emissions and leaves the group empty. The caller owns them.
func (g *Group) Take() []engine.Emission {
	taken := g.emissions
	g.emissions, g.bytes = nil, 0
	return taken
}

func longLine(line Line, kept, limit int, place string) *runtime.Failure {
	return &runtime.Failure{
		Kind:          runtime.KindInput,
		Deterministic: true,
		Message: fmt.Sprintf("%s is %d bytes long, max_line is %d: its first %d bytes are kept",
			place, line.Length, limit, kept),
		Hint:     "raise max_line of the source, or split the line where it is written",
		Measured: line.Length,
		Limit:    int64(limit),
	}
}
