package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// leaseName is the file beside Pebble's directory whose lock is the lease. Pebble's own
// lock will not do: it is a POSIX lock, which one process can take twice through a
// symlink, and loses when any of its goroutines opens and closes the file. This one
// belongs to the open file. The file is never removed: an unlocked one is harmless.
const leaseName = "owner.lock"

// leaseBytes is the fixed size of the owner's record: it is written by one write and
// never truncated, so that a reader sees a whole record.
const leaseBytes = 512

// lease is the right to write a store. The kernel takes it back when the process dies.
type lease struct {
	file  *os.File
	owner owner
}

type owner struct {
	PID     int    `json:"pid"`
	Host    string `json:"host"`
	Address string `json:"address,omitempty"`
}

// takeLease locks the file, or says who has it.
func takeLease(dir string, o Options) (*lease, error) {
	file, err := os.OpenFile(filepath.Join(dir, leaseName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("store: lease: %w", err)
	}
	if err := lockFile(file); err != nil {
		if errors.Is(err, ErrInUse) {
			err = inUse(dir, file)
		}
		return nil, errors.Join(err, file.Close())
	}
	l := &lease{file: file, owner: owner{PID: os.Getpid(), Host: hostname()}}
	if err := l.write(o.Address); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return l, nil
}

func hostname() string {
	host, err := os.Hostname()
	if err != nil {
		return "this host"
	}
	return host
}

func inUse(dir string, file *os.File) error {
	record := make([]byte, leaseBytes)
	n, _ := file.ReadAt(record, 0) // an owner that has not written yet stays unnamed
	o := parseOwner(record[:n])
	return &InUseError{Dir: dir, PID: o.PID, Host: o.Host, Address: o.Address}
}

// parseOwner reads an owner's record; what is none is the zero owner.
func parseOwner(record []byte) (o owner) {
	if json.Unmarshal(bytes.TrimRight(record, " \n\x00"), &o) != nil {
		return owner{}
	}
	return o
}

// write puts the owner's record into the file. A full disk is no reason to refuse a run:
// the lock is the lease, the record only names who has it.
func (l *lease) write(address string) error {
	l.owner.Address = address
	record, err := json.Marshal(l.owner)
	if err != nil {
		return fmt.Errorf("store: lease: %w", err)
	}
	if len(record) >= leaseBytes {
		return fmt.Errorf("store: lease: address of %d bytes is too long", len(address))
	}
	record = append(record, bytes.Repeat([]byte{' '}, leaseBytes-1-len(record))...)
	if _, err = l.file.WriteAt(append(record, '\n'), 0); err != nil && !noSpace(err) {
		return fmt.Errorf("store: lease: %w", err)
	}
	return nil
}

// release gives the lease back; a nil lease is that of an ephemeral store.
func (l *lease) release() error {
	if l == nil {
		return nil
	}
	return l.file.Close()
}
