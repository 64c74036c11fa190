package file

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// extent is how much of a file this sink vouches for. It is the sink's state.
type extent struct {
	identity
	Length int64 `json:"length"` // bytes, all of them whole lines
}

func decodeExtent(b []byte) (e extent, err error) {
	if len(b) == 0 {
		return extent{}, nil
	}
	if err := json.Unmarshal(b, &e); err != nil {
		return extent{}, fmt.Errorf("file sink: its stored state cannot be read: %w", err)
	}
	if e.Length < 0 {
		return extent{}, fmt.Errorf("file sink: its stored state cannot be read: a length of %d", e.Length)
	}
	return e, nil
}

func (e extent) encode() []byte {
	b, err := json.Marshal(e)
	if err != nil {
		panic(err) // three integers
	}
	return b
}

// tail is the end of a file that lines are appended to.
type tail struct {
	file   *os.File
	extent extent
	// torn says that bytes of a failed write may stand behind extent.Length.
	torn bool
}

// ErrTaken says that another sink, of this process or another one, has the file.
var ErrTaken = errors.New("another sink or another process is writing it")

// openTail opens or makes the file, locks it and repairs its end. repair says what was found
// wrong, "" if nothing was.
func openTail(path string, kept extent, empty bool) (t *tail, repair string, err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, "", err
	}
	t = &tail{file: file}
	if err = t.own(empty); err == nil {
		repair, err = t.begin(path, kept)
	}
	if err != nil {
		_ = file.Close()
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	return t, repair, nil
}

// own makes the file this sink's alone, and only then empties it.
func (t *tail) own(empty bool) error {
	info, err := t.file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("is not a regular file; use the stdout sink for a pipe")
	}
	if err := lockOutput(t.file); err != nil || !empty {
		return err
	}
	return t.file.Truncate(0)
}

func (t *tail) begin(path string, kept extent) (repair string, err error) {
	info, err := t.file.Stat()
	if err != nil {
		return "", err
	}
	t.extent = extent{identity: identify(path, info), Length: info.Size()}
	if repair, err = t.repair(kept); err != nil {
		return "", err
	}
	if err := t.file.Sync(); err != nil {
		return "", err
	}
	return repair, syncDirectory(filepath.Dir(path))
}

// repair makes the file end with a whole line. A half line behind what this sink
// vouched for is its own torn write and is cut: its message was not committed and comes
// again. Any other half line is somebody else's and is ended.
func (t *tail) repair(kept extent) (string, error) {
	whole, err := t.wholeLines()
	if err != nil || whole == t.extent.Length {
		return "", err
	}
	ours := kept.identity == t.extent.identity && kept.Length <= whole
	if !ours {
		return "the file's last line had no ending: one was added", t.append([]byte("\n"))
	}
	half := t.extent.Length - whole
	if err := t.file.Truncate(whole); err != nil {
		return "", err
	}
	t.extent.Length = whole
	return fmt.Sprintf("a line that was half written when the last run ended was cut off (%d bytes): its message comes again", half), nil
}

// wholeLines is the length up to and with the last line break.
func (t *tail) wholeLines() (int64, error) {
	block := make([]byte, 64<<10)
	for end := t.extent.Length; end > 0; {
		start := max(end-int64(len(block)), 0)
		part := block[:end-start]
		if _, err := t.file.ReadAt(part, start); err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		end = start
	}
	return 0, nil
}

// append makes whole lines durable at the end, or leaves the file as it was.
func (t *tail) append(lines []byte) error {
	if err := t.settle(); err != nil {
		return err
	}
	_, err := t.file.WriteAt(lines, t.extent.Length)
	if err == nil {
		err = t.file.Sync()
	}
	if err != nil {
		t.torn = true
		if undo := t.settle(); undo != nil {
			return fmt.Errorf("%w (and the half-written lines could not be cut off yet: %v)", err, undo)
		}
		return err
	}
	t.extent.Length += int64(len(lines))
	return nil
}

// settle cuts off what a failed write left, and accepts what somebody else appended or
// cut. After a failed sync the lines are written anew by the retry, so that the kernel
// has them to sync once more.
func (t *tail) settle() error {
	if t.torn {
		if err := t.file.Truncate(t.extent.Length); err != nil {
			return err
		}
		t.torn = false
	}
	info, err := t.file.Stat()
	if err != nil || info.Size() == t.extent.Length {
		return err
	}
	t.extent.Length = info.Size()
	return t.endForeignLine()
}

// endForeignLine keeps our lines apart from a half line that somebody else appended.
func (t *tail) endForeignLine() error {
	whole, err := t.wholeLines()
	if err != nil || whole == t.extent.Length {
		return err
	}
	n, err := t.file.WriteAt([]byte("\n"), t.extent.Length)
	t.extent.Length += int64(n)
	return err
}

func (t *tail) isOpen() bool { return t.file != nil }

// close is idempotent. It gives the lock back.
func (t *tail) close() error {
	file := t.file
	if t.file = nil; file == nil {
		return nil
	}
	return file.Close()
}
