package main

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// replaceFile puts what write writes in the place of a file in one step, whole or not at
// all. A file that is there keeps its mode, a new one has that of the user's files, and a link stays one. What is no
// regular file, such as a pipe or /dev/null, is written to.
func replaceFile(name string, write func(io.Writer) error) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return writeInto(name, write)
	}
	target, old, err := fileToReplace(name)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o666) // which the umask narrows
	if old != nil {
		mode = old.Mode().Perm()
	}
	made, err := os.OpenFile(target+"."+rand.Text()[:8], os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if err = fill(made, old, write); err == nil {
		err = os.Rename(made.Name(), target)
	}
	if err != nil {
		_ = os.Remove(made.Name()) // the error at hand is the cause
	}
	return err
}

// replaceText is replaceFile with a text at hand.
func replaceText(name string, text []byte) error {
	return replaceFile(name, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

func writeInto(name string, write func(io.Writer) error) error {
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = write(file)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

// fileToReplace follows links; old is nil where there is no file.
func fileToReplace(name string) (target string, old fs.FileInfo, err error) {
	target, err = filepath.EvalSymlinks(name)
	if errors.Is(err, fs.ErrNotExist) {
		return name, nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	old, err = os.Stat(target)
	return target, old, err
}

// fill gives a new file the mode of the old one, if there is one, writes, syncs and closes.
func fill(file *os.File, old fs.FileInfo, write func(io.Writer) error) (err error) {
	if old != nil {
		err = file.Chmod(old.Mode().Perm())
	}
	if err == nil {
		err = write(file)
	}
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}
