package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/control"
)

// rateOver is the time between the two looks that a rate is made of.
const rateOver = 500 * time.Millisecond

func statusCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:      "status",
		Usage:     "say what a pipeline is doing",
		ArgsUsage: "FILE",
		Description: "Asks the run that owns the document's store; a pipeline that is not running says what it left.\n\n" +
			"Examples:\n   leat status orders.yaml\n   leat status --addr .leat/orders/control.sock --json",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "addr", Usage: "ask the control socket at `ADDR` instead", TakesFile: true},
			paramFlag(),
		},
		Action: func(c *cli.Context) error {
			row, err := statusOf(c, s)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return jsonTo(s.stdout).Encode(row)
			}
			return printStatus(s, row)
		},
	})
}

// statusJSON is the object of `status --json` (cli.md).
type statusJSON struct {
	Pipeline   string           `json:"pipeline"`
	State      string           `json:"state"`
	Reason     string           `json:"reason"`
	Rates      ratesJSON        `json:"rates"`
	InFlight   int              `json:"in_flight"`
	Checkpoint uint64           `json:"checkpoint"`
	SpoolRows  int64            `json:"spool_rows"`
	SpoolBytes int64            `json:"spool_bytes"`
	Nodes      []nodeStatusJSON `json:"nodes"`
}

// ratesJSON are messages a second, over rateOver.
type ratesJSON struct {
	Read      float64 `json:"read"`
	Committed float64 `json:"committed"`
}

type nodeStatusJSON struct {
	Name     string `json:"name"`
	Flavor   string `json:"flavor"`
	Waiting  int    `json:"waiting"`
	In       int64  `json:"in"`
	Out      int64  `json:"out"`
	Failed   int64  `json:"failed"`
	Retries  int64  `json:"retries"`
	Dropped  int64  `json:"dropped"`
	Recycled int64  `json:"recycled"`
}

func statusOf(c *cli.Context, s surroundings) (statusJSON, error) {
	if address := c.String("addr"); address != "" {
		if c.NArg() > 0 {
			return statusJSON{}, usagef("give one of them", "a document and --addr are two pipelines")
		}
		run := control.Dial(address)
		defer run.Close()
		row, err := statusOfRun(c.Context, run)
		if err != nil {
			return row, usagef("is the pipeline running?", "nobody answers at %s: %w", address, err)
		}
		return row, nil
	}
	file, err := oneFile(c, "document")
	if err != nil {
		return statusJSON{}, err
	}
	if isStage(file) {
		return statusJSON{}, usagef("`leat stage describe "+quoted(file)+"` and `leat stage holds "+quoted(file)+"` say how it stands", "%s is a stage", file)
	}
	a, err := openAccess(c, s, file)
	if err != nil {
		return statusJSON{}, err
	}
	defer a.close()
	if a.run != nil {
		row, err := statusOfRun(c.Context, a.run)
		return row, a.failure("ask the run", err)
	}
	return a.statusStopped()
}

// statusOfRun looks twice, for the rates.
func statusOfRun(ctx context.Context, run *control.Client) (statusJSON, error) {
	first, err := run.Status(ctx)
	if err != nil {
		return statusJSON{}, err
	}
	began := time.Now()
	select {
	case <-time.After(rateOver):
	case <-ctx.Done():
		return statusJSON{}, ctx.Err()
	}
	second, err := run.Status(ctx)
	if err != nil {
		return statusRow(first), nil // it ended in between: what it said last is the answer
	}
	row := statusRow(second)
	row.Rates = ratesJSON{
		Read:      perSecond(second.Read-first.Read, time.Since(began)),
		Committed: perSecond(int64(second.Total.Committed-first.Total.Committed), time.Since(began)),
	}
	return row, nil
}

func statusRow(st engine.RunStatus) statusJSON {
	row := statusJSON{
		Pipeline: st.Pipeline, State: string(st.State), Reason: st.Reason, InFlight: st.InFlight, Checkpoint: uint64(st.Checkpoint),
		SpoolRows: st.SpoolRows, SpoolBytes: st.SpoolBytes, Nodes: []nodeStatusJSON{},
	}
	for _, n := range st.Nodes {
		row.Nodes = append(row.Nodes, nodeStatusJSON{
			Name: n.Name, Flavor: n.Flavor, Waiting: n.Waiting, In: n.In, Out: n.Out,
			Failed: n.Failed, Retries: n.Retries, Dropped: n.Dropped, Recycled: n.Recycled.Failure + n.Recycled.Memory,
		})
	}
	return row
}

// statusStopped is what a stopped pipeline left: rows behind the checkpoint are in flight, the
// next run replays them.
func (a *access) statusStopped() (statusJSON, error) {
	row := statusJSON{Pipeline: a.name, State: string(engine.StateStopped), Nodes: []nodeStatusJSON{}}
	if a.store == nil {
		row.Reason = "it never ran"
		return row, nil
	}
	checkpoint, err := a.store.Checkpoint()
	if err != nil {
		return row, a.failure("read the checkpoint", err)
	}
	row.Checkpoint = uint64(checkpoint.Through)
	row.InFlight = int(a.store.LastSeq() - checkpoint.Through)
	row.SpoolRows, row.SpoolBytes = a.store.SpoolRows(), a.store.SpoolBytes()
	return row, nil
}

func printStatus(s surroundings, row statusJSON) error {
	state := row.State
	if row.Reason != "" {
		state += " (" + row.Reason + ")"
	}
	fmt.Fprintf(s.stdout, "%s: %s\n  in flight %d, checkpoint %d, spool %s of %d bytes\n", row.Pipeline, state,
		row.InFlight, row.Checkpoint, count(int(row.SpoolRows), "row"), row.SpoolBytes)
	if row.State == string(engine.StateStopped) {
		return nil
	}
	fmt.Fprintf(s.stdout, "  read %.0f/s, committed %.0f/s\n\n", row.Rates.Read, row.Rates.Committed)
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tWAITING\tIN\tOUT\tFAILED\tRETRIES\tDROPPED\tRECYCLED")
	for _, n := range row.Nodes {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", n.Name, n.Waiting, n.In, n.Out, n.Failed, n.Retries, n.Dropped, n.Recycled)
	}
	return w.Flush()
}
