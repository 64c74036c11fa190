package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// replaceFile puts what write writes in the place of a file in one step, whole or not at
// all. A file that is there keeps its mode, and a link stays one. What is no regular file, such as a pipe
// or /dev/null, is written to.
func replaceFile(name string, write func(io.Writer) error) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return writeInto(name, write)
	}
	target, mode, err := fileToReplace(name)
	if err != nil {
		return err
	}
	made, err := os.CreateTemp(filepath.Dir(target), filepath.Base(target)+".*")
	if err != nil {
		return err
	}
	if err = fill(made, mode, write); err == nil {
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

func fileToReplace(name string) (target string, mode os.FileMode, err error) {
	target, err = filepath.EvalSymlinks(name)
	if errors.Is(err, fs.ErrNotExist) {
		return name, 0o644, nil
	}
	if err != nil {
		return "", 0, err
	}
	info, err := os.Stat(target)
	if err != nil {
		return "", 0, err
	}
	return target, info.Mode().Perm(), nil
}

// fill writes, syncs and closes.
func fill(file *os.File, mode os.FileMode, write func(io.Writer) error) error {
	err := write(file)
	if err == nil {
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}
