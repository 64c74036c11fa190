package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/store"
)

func dlqPurgeCommand(s surroundings) *cli.Command {
	return letterVerb(s, &cli.Command{
		Name:  "purge",
		Usage: "delete dead letters for good",
		Description: "Deletes what `list` shows for the same filters, quarantined letters too. All letters go only with --yes.\n\n" +
			"Examples:\n   leat dlq purge orders.yaml --node enrich\n   leat dlq purge orders.yaml --yes",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "delete all letters, where no filter is given"}},
	}, func(c *cli.Context, a *access, q *letterQuery) error {
		if !q.any() && !c.Bool("yes") {
			return usagef("give a filter, or --yes for all of them", "purge without a filter deletes every dead letter")
		}
		return purgeLetters(c, s, a, q)
	})
}

// purgeJSON is the object of `dlq purge --json`.
type purgeJSON struct {
	Purged int `json:"purged"`
}

// purgeLetters deletes nothing before the selection is complete: an id that does not exist,
// or a store that cannot be read to its end, leaves all letters.
func purgeLetters(c *cli.Context, s surroundings, a *access, q *letterQuery) error {
	var ids []string
	err := q.each(c.Context, a, func(l store.DeadLetter) error {
		ids = append(ids, l.ID)
		return nil
	})
	if err != nil {
		return err
	}
	if err := a.deleteLetters(c.Context, ids); err != nil {
		return err
	}
	if c.Bool("json") {
		return jsonTo(s.stdout).Encode(purgeJSON{len(ids)})
	}
	_, err = fmt.Fprintf(s.stdout, "purged %s\n", count(len(ids), "dead letter"))
	return err
}

// deleteAtOnce bounds how many letters one request names.
const deleteAtOnce = 10_000

// deleteLetters removes letters for good.
func (a *access) deleteLetters(ctx context.Context, ids []string) error {
	for chunk := range slices.Chunk(ids, deleteAtOnce) {
		var err error
		if a.run != nil {
			err = a.run.DeleteLetters(ctx, chunk...)
		} else {
			err = a.store.DeleteLetters(chunk...)
		}
		if err != nil {
			return a.failure("delete dead letters", err)
		}
	}
	return nil
}
