package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/control"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// access is the way to what a pipeline keeps: its store, or the run that owns it and
// answers through its control socket. Both are nil where the pipeline never ran.
type access struct {
	name  string // of the pipeline or stage
	only  bool   // the store is all stages': the letters of others are passed over
	store *store.Store
	run   *control.Client

	dataDir string
}

// missing says that the pipeline never ran with this data dir; nil where it did.
func (a *access) missing() error {
	if a.store != nil || a.run != nil {
		return nil
	}
	return usagef("run it first, or give its --data-dir", "%s has no store in %s", a.name, a.dataDir)
}

// openAccess finds the store of the document in file. Nothing of the document but its name
// is read.
func openAccess(c *cli.Context, s surroundings, file string) (*access, error) {
	options, err := loadOptions(c, s)
	if err != nil {
		return nil, err
	}
	if isStage(file) {
		return openStageAccess(c, s, file, options)
	}
	name, diagnostics := pipeline.Name(file, options)
	if name == "" {
		return nil, invalid(c, s, file, diagnostics)
	}
	return accessTo(c.Context, name, storeDir(c, name))
}

const (
	// ownerWait bounds how long a verb waits for an owner that cannot be asked: a run that has
	// not announced its socket yet, or another verb that is at work on the store.
	ownerWait = time.Second
	// ownerAgain is the pause before the next look.
	ownerAgain = 20 * time.Millisecond
	// answerWithin bounds how long a run may take to say that it is there.
	answerWithin = 5 * time.Second
)

// accessTo opens the store in dir, or asks whoever owns it. The owner may end, or begin to
// answer, in between.
func accessTo(ctx context.Context, name, dir string) (*access, error) {
	if !store.Exists(dir) {
		return &access{name: name, dataDir: filepath.Dir(dir)}, nil
	}
	for deadline := time.Now().Add(ownerWait); ; {
		st, err := store.Open(dir, store.Options{})
		if err == nil {
			return &access{name: name, store: st}, nil
		}
		var inUse *store.InUseError
		if !errors.As(err, &inUse) {
			return nil, openFailure(err)
		}
		if run := ask(ctx, inUse.Address); run != nil {
			return &access{name: name, run: run}, nil
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return nil, openFailure(err)
		}
		time.Sleep(ownerAgain)
	}
}

// ask returns a client of the run at address, nil if nobody answers there.
func ask(ctx context.Context, address string) *control.Client {
	if address == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	run := control.Dial(address)
	if _, err := run.Status(ctx); err != nil {
		run.Close()
		return nil
	}
	return run
}

// close lets go of the store or the connection.
func (a *access) close() {
	if a.run != nil {
		a.run.Close()
	}
	if a.store != nil {
		_ = a.store.Close() // what was asked for was answered
	}
}

// openStageAccess finds the log, where the dead letters of all stages are.
func openStageAccess(c *cli.Context, s surroundings, file string, options pipeline.LoadOptions) (*access, error) {
	name, diagnostics := pipeline.StageName(file, options)
	if name == "" {
		return nil, invalid(c, s, file, diagnostics)
	}
	log, err := openLogAccess(c, false)
	if err != nil {
		return nil, err
	}
	a := &access{name: name, only: true, dataDir: c.String("data-dir")}
	if log.run != nil {
		a.run = log.run.Client
	}
	if log.log != nil {
		a.store = log.log.Store
	}
	return a, nil
}

// letters calls fn with every dead letter, the oldest first, until fn returns an error, which it returns
// as it is.
func (a *access) letters(ctx context.Context, fn func(store.DeadLetter) error) error {
	var err, own error
	each := func(l store.DeadLetter) error {
		if a.only && l.Pipeline != a.name {
			return nil
		}
		own = fn(l)
		return own
	}
	switch {
	case a.run != nil:
		err = a.run.Letters(ctx, each)
	case a.store != nil:
		err = a.store.Letters(each)
	}
	if own != nil {
		return own
	}
	return a.failure("read the dead letters", err)
}

// row reads a row of the spool; one that it has not is store.ErrNotFound.
func (a *access) row(ctx context.Context, seq runtime.Seq) (store.Row, error) {
	if a.run != nil {
		return a.run.Row(ctx, seq)
	}
	return a.store.ReadRow(seq)
}

// rows says which rows the spool holds; last is below first where it holds none.
func (a *access) rows(ctx context.Context) (first, last runtime.Seq, err error) {
	if a.run == nil {
		last = a.store.LastSeq()
		return last - runtime.Seq(a.store.SpoolRows()) + 1, last, nil
	}
	status, err := a.run.Status(ctx)
	return status.Last - runtime.Seq(status.SpoolRows) + 1, status.Last, err
}

// retains says whether the spool still has the whole message that a letter has the start of, as a
// committed row. What a source could not hand on never was one.
func (a *access) retains(ctx context.Context, l store.DeadLetter) bool {
	switch {
	case a.only || l.Class == store.ClassDecode:
		return false
	case a.run != nil:
		status, err := a.run.Status(ctx)
		return err == nil && l.SpoolSeq <= status.Checkpoint && int64(status.Last-l.SpoolSeq) < status.SpoolRows
	case a.store != nil:
		checkpoint, err := a.store.Checkpoint()
		if err != nil || l.SpoolSeq > checkpoint.Through {
			return false
		}
		_, err = a.store.ReadRow(l.SpoolSeq)
		return err == nil
	}
	return false
}

// failure gives an error its exit code: the store or the run is at fault, not leat, unless
// a signal ended the wait for them.
func (a *access) failure(what string, err error) error {
	var known *exitError
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, errSignal):
		return fail(exitInterrupted, "", fmt.Errorf("%s: %w", what, errSignal))
	case a.run != nil && lost(err):
		what, _, _ = strings.Cut(what, " (")
		return fail(exitFailed, "what it had taken in goes on with the next run; `leat status` says how the pipeline stands",
			fmt.Errorf("%s: the run ended before it answered", what))
	}
	return fail(exitFailed, "", fmt.Errorf("%s: %w", what, err))
}

// lost says that the other process is gone.
func lost(err error) bool {
	for _, gone := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE, fs.ErrNotExist} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}
