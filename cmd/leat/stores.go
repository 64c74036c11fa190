package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/store"
)

// storeDir is where a pipeline's store lives: one directory per pipeline under the data dir.
func storeDir(c *cli.Context, name string) string {
	return filepath.Join(c.String("data-dir"), name)
}

// openStore opens a plan's store for a run, as the document and the flags say.
func openStore(c *cli.Context, plan *pipeline.Plan, log *slog.Logger) (*store.Store, error) {
	durability := store.DurabilityFsync
	if !plan.Storage.Fsync {
		durability = store.DurabilityOS
	}
	if c.IsSet("durability") {
		value, err := oneOf(c, "durability", string(store.DurabilityFsync), string(store.DurabilityOS))
		if err != nil {
			return nil, err
		}
		durability = store.Durability(value)
	}
	dir := storeDir(c, plan.Name)
	if !c.Bool("ephemeral") {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, fail(exitFailed, "give another --data-dir", fmt.Errorf("the data dir cannot be made: %w", err))
		}
	}
	st, err := store.Open(dir, store.Options{
		Ephemeral: c.Bool("ephemeral"), Durability: durability, WriteRows: plan.Storage.WriteRows, WriteWait: plan.Storage.WriteWait,
		MaxBytes: plan.Storage.MaxBytes, MinFreeBytes: plan.Storage.MinFreeBytes,
		Retention: plan.Storage.SpoolRetention, Log: log,
	})
	return st, openFailure(err)
}

// openFailure gives the failure to open a store its exit code.
func openFailure(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrInUse):
		return fail(exitInUse, "stop it first, or give another --data-dir", err)
	default:
		return fail(exitFailed, "", err)
	}
}
