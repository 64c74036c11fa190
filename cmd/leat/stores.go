package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/store"
)

// storeDir is where a pipeline's store lives: one directory per pipeline under the data dir.
func storeDir(c *cli.Context, name string) string {
	return filepath.Join(c.String("data-dir"), name)
}

// openStore opens a plan's store for a run, as the document and the flags say; cache may be nil.
func openStore(c *cli.Context, plan *pipeline.Plan, log *slog.Logger, cache *store.Cache) (*store.Store, error) {
	durability := store.DurabilityFsync
	if !plan.Storage.Fsync {
		durability = store.DurabilityOS
	}
	durability, err := durabilityOf(c, durability)
	if err != nil {
		return nil, err
	}
	dir := storeDir(c, plan.Name)
	if !c.Bool("ephemeral") {
		if err := os.MkdirAll(dir, store.DirMode); err != nil {
			return nil, fail(exitFailed, "give another --data-dir", fmt.Errorf("the data dir cannot be made: %w", err))
		}
	}
	st, err := store.Open(dir, store.Options{
		Ephemeral: c.Bool("ephemeral"), Durability: durability, WriteRows: plan.Storage.WriteRows, WriteWait: plan.Storage.WriteWait,
		MaxBytes: plan.Storage.MaxBytes, MinFreeBytes: plan.Storage.MinFreeBytes,
		Retention: plan.Storage.SpoolRetention, Log: log, Cache: cache,
	})
	return st, openFailure(err)
}

// durabilityOf is --durability, where it is given.
func durabilityOf(c *cli.Context, otherwise store.Durability) (store.Durability, error) {
	if !c.IsSet("durability") {
		return otherwise, nil
	}
	value, err := oneOf(c, "durability", string(store.DurabilityFsync), string(store.DurabilityOS))
	return store.Durability(value), err
}

// openFailure gives the failure to open a store its exit code.
func openFailure(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrInUse):
		return fail(exitInUse, "stop it first, or give another --data-dir", err)
	case errors.Is(err, fs.ErrPermission):
		return fail(exitFailed, "it belongs to another user: run as that user, or give another --data-dir", err)
	case errors.Is(err, store.ErrFormat):
		return fail(exitFailed, "use the leat that wrote it, or a newer one", err)
	case errors.Is(err, store.ErrNoLease):
		return fail(exitFailed, "", err) // it says what to do
	case errors.Is(err, store.ErrFull), errors.Is(err, syscall.ENOSPC):
		return fail(exitFailed, "make room on the disk", err)
	default:
		return fail(exitFailed, "if its files are damaged, bring them back from a backup, or move the directory away: "+
			"the next run then begins anew", err)
	}
}
