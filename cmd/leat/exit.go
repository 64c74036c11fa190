package main

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// exitCode is what the process ends with (cli.md, Exit codes). Scripts depend on it.
type exitCode int

const (
	exitCompleted   exitCode = 0
	exitInternal    exitCode = 1
	exitUsage       exitCode = 2
	exitInvalid     exitCode = 3
	exitPartial     exitCode = 4
	exitFailed      exitCode = 5
	exitInterrupted exitCode = 6
	exitInUse       exitCode = 7
)

// exitCodes is the one table of codes, shown by `leat help exit-codes`.
var exitCodes = []struct {
	code exitCode
	says string
}{
	{exitCompleted, "completed, or a continuous run was stopped by SIGINT or SIGTERM"},
	{exitInternal, "internal error: a bug in leat, please report it"},
	{exitUsage, "usage: the command line is wrong"},
	{exitInvalid, "the document is invalid: `leat verify` says where"},
	{exitPartial, "partial: a run or replay ended with dead letters, a sample failed, or a test suite has failing cases"},
	{exitFailed, "failed: the engine stopped itself (a worker, a source or the store failed), or standard output cannot be written"},
	{exitInterrupted, "a batch was interrupted by a signal: what was not committed replays on the next run"},
	{exitInUse, "the store is in use by another process"},
}

// worst orders the codes of several documents (cli.md): an earlier one wins.
var worst = []exitCode{exitInternal, exitFailed, exitInUse, exitInvalid, exitInterrupted, exitPartial, exitCompleted}

// worse returns whichever of the two comes first in worst.
func worse(a, b exitCode) exitCode {
	for _, code := range worst {
		if a == code || b == code {
			return code
		}
	}
	return a
}

// exitError is an error that knows its exit code and, perhaps, what to do about it.
// Its err may be nil where everything was already said.
type exitError struct {
	code exitCode
	err  error
	hint string
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// fail wraps err with a code and a hint.
func fail(code exitCode, hint string, err error) error {
	return &exitError{code: code, err: err, hint: hint}
}

// usagef is a usage error.
func usagef(hint, format string, args ...any) error {
	return fail(exitUsage, hint, fmt.Errorf(format, args...))
}

// ended is the result of a verb that printed all there is to say.
func ended(code exitCode) error {
	if code == exitCompleted {
		return nil
	}
	return &exitError{code: code}
}

// codeOf maps any error to its exit code.
func codeOf(err error) exitCode {
	var e *exitError
	switch {
	case err == nil:
		return exitCompleted
	case errors.As(err, &e):
		return e.code
	default:
		return exitInternal
	}
}

// explain renders an error as `leat: what happened (where): what to do`, or "" where
// all was said before.
func explain(err error) string {
	var e *exitError
	if errors.As(err, &e) {
		if e.err == nil {
			return ""
		}
		return joinHint(e.err.Error(), e.hint)
	}
	return joinHint(err.Error(), "this is a bug in leat: please report it with the command and the document")
}

// joinHint is what happened and what to do, as a terminal may show it: both can quote a message or a guest.
func joinHint(what, hint string) string {
	what, hint = "leat: "+printable(strings.TrimSpace(what)), printable(hint)
	switch {
	case hint == "":
		return what
	case strings.HasSuffix(what, "?"):
		first, size := utf8.DecodeRuneInString(hint)
		return what + " " + string(unicode.ToUpper(first)) + hint[size:]
	}
	return what + ": " + hint
}

// exitCodesText is the page `leat help exit-codes`.
func exitCodesText() string {
	var b strings.Builder
	b.WriteString("Exit codes of leat\n\n")
	for _, row := range exitCodes {
		fmt.Fprintf(&b, "  %d  %s\n", row.code, row.says)
	}
	b.WriteString("\nSeveral documents in one command: the worst code, in the order 1, 5, 7, 3, 6, 4, 0.\n")
	return b.String()
}
