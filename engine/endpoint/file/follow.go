package file

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/leat-run/leat/engine"
)

const (
	// pollEvery is the pause after everything was read, and how long reading goes on without a scan.
	pollEvery = 200 * time.Millisecond
	// idleLine is how long a last line without an ending is waited for.
	idleLine = 10 * time.Second
	// restGzip is how long a gzip file must not have been written before it is read.
	restGzip = 2 * time.Second
)

// follower reads files that grow, are renamed, replaced, truncated, removed and added. It
// asks the file system every pollEvery: no notification interface works on all of them.
type follower struct {
	*Source
	open []*followed
}

type followed struct {
	*stream
	seen bool      // by the last scan
	grew time.Time // when a byte came last
	size int64     // unfinished bytes at that time
	left mark      // where the reader left it last for the next file
}

func newFollower(s *Source) *follower { return &follower{Source: s} }

func (f *follower) run(ctx context.Context, emit engine.Emit) error {
	defer f.close()
	for {
		if err := f.scan(ctx); err != nil {
			return err
		}
		behind, err := f.readAll(ctx, emit)
		if err == nil && !behind {
			err = pause(ctx, pollEvery)
		}
		if err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// scan finds new files, renames, truncations and files that are gone.
func (f *follower) scan(ctx context.Context) error {
	paths, err := match(f.pattern)
	if err != nil {
		return err
	}
	for _, file := range f.open {
		file.seen = false
	}
	for _, path := range paths {
		if err := f.see(ctx, path); err != nil {
			return err
		}
	}
	f.start = startBeginning // a file that appears from now on did not exist at the start
	f.measure(paths)
	return nil
}

// see matches a path with an open file, or opens it.
func (f *follower) see(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // it went away since the glob was read
	}
	for _, file := range f.open {
		if file.sameFile(path, info) {
			if f.still(file, path, info.Size()) {
				return nil
			}
			break
		}
	}
	return f.begin(ctx, path, info)
}

// still says whether an open file goes on where it is. A file that was cut or written anew
// is left, and so is a broken gzip file that has changed: it is opened again.
func (f *follower) still(file *followed, path string, size int64) bool {
	if file.Broken && size != file.Size {
		f.drop(file)
		return false
	}
	if file.rewritten(size) {
		f.log.Warn("the file was truncated or written anew: it is read from its beginning", "path", path,
			"read_offset", file.Offset, "size", size)
		f.drop(file)
		return false
	}
	file.seen = true
	if file.Path != path || file.Head < headBytes {
		file.Path = path
		file.learnHead()
		f.ledger.describe(file.number, file.place)
	}
	return true
}

// begin begins with a file that was not open. A gzip file is left alone until it has
// come to rest, since a half of one looks broken.
func (f *follower) begin(ctx context.Context, path string, info fs.FileInfo) error {
	if time.Since(info.ModTime()) < restGzip && startsAsGzip(path) {
		return nil
	}
	st, err := f.Source.open(ctx, path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	f.open = append(f.open, &followed{stream: st, seen: true, grew: time.Now()})
	return nil
}

// readAll reads every open file in turn, a group at a time, until none has more or a scan is due:
// a file that is begun and renamed while another one is behind is to be seen before it is gone.
func (f *follower) readAll(ctx context.Context, emit engine.Emit) (behind bool, err error) {
	for begun, more := time.Now(), true; more; {
		if time.Since(begun) >= pollEvery {
			return true, nil
		}
		more = false
		for _, file := range append([]*followed(nil), f.open...) {
			err := f.readGroup(file.stream)
			if err != nil && !errors.Is(err, io.EOF) {
				return false, err
			}
			more = more || err == nil
			open := err == nil || f.atEnd(file)
			if open && file.left != file.mark {
				file.left = file.mark
				f.ledger.leave(f.count, file.number, file.mark, false)
			}
			if err := f.flush(ctx, emit); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

// atEnd decides about a file that has no more for now, and says whether it is still open.
func (f *follower) atEnd(file *followed) (open bool) {
	if unfinished := file.lines.Unfinished(); unfinished != file.size {
		file.size, file.grew = unfinished, time.Now()
	}
	switch {
	case !file.seen:
		f.log.Info("the file was renamed or removed: it was read to its end", "path", file.Path)
		f.finish(file.stream, true)
		f.forget(file)
		return false
	case file.size > 0 && time.Since(file.grew) >= idleLine:
		if line, ok := file.rest(); ok {
			f.add(file.stream, line)
		}
		file.size = 0
	}
	return true
}

// drop leaves a file whose content is gone.
func (f *follower) drop(file *followed) {
	f.ledger.leave(f.count, file.number, file.mark, true)
	f.forget(file)
}

func (f *follower) forget(file *followed) {
	_ = file.close()
	kept := f.open[:0]
	for _, other := range f.open {
		if other != file {
			kept = append(kept, other)
		}
	}
	f.open = kept
}

func (f *follower) close() {
	for _, file := range f.open {
		_ = file.close()
	}
}
