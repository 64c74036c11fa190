package main

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/endpoint/file"
	"github.com/leat-run/leat/engine/pipeline"
)

// failureHint says what to do about a failed run, where the failure leaves no doubt; else "".
func failureHint(plan *pipeline.Plan, o engine.Outcome) string {
	var path *fs.PathError
	isSource := slices.ContainsFunc(plan.Sources, func(s *pipeline.Source) bool { return s.Name == o.Node })
	isSink := slices.ContainsFunc(plan.Sinks, func(s *pipeline.Sink) bool { return s.Name == o.Node })
	switch {
	case errors.Is(o.Err, file.ErrTaken):
		return "stop the other one, or give each sink a file of its own"
	case errors.Is(o.Err, file.ErrChanged):
		return "run it again once nothing changes the file: it is read from its beginning"
	case isSource && errors.Is(o.Err, fs.ErrNotExist):
		return "mend its path; with mode: tail it waits for a file"
	case isSink && errors.Is(o.Err, fs.ErrNotExist) && errors.As(o.Err, &path):
		return "make the directory " + filepath.Dir(path.Path) + ", or mend the sink's path"
	case (isSource || isSink) && errors.Is(o.Err, fs.ErrPermission):
		return "give this user the right to it, or another path"
	default:
		return ""
	}
}
