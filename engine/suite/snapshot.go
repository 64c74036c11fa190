package suite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/leat-run/leat/runtime"
)

// snapshotDir is where a suite's snapshots stand, beside it.
func (s *Suite) snapshotDir() string {
	base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(s.File), filepath.Ext(s.File)), ".test")
	return filepath.Join(filepath.Dir(s.File), base+".snapshots")
}

// snapshotName is the file of what a node captured in a case.
func snapshotName(c *Case, x capture) string { return c.Name + "." + x.node.name + ".json" }

// snapshot compares what a node captured with its file, or writes the file.
func (r *runner) snapshot(v *verdict, c *Case, x capture, records []record) error {
	file := filepath.Join(r.suite.snapshotDir(), snapshotName(c, x))
	got := renderSnapshot(records)
	want, err := os.ReadFile(file)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return err
	}
	want = bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n")) // a checkout may have changed them
	switch {
	case !missing && string(want) == got:
	case r.opt.Update:
		r.result.Written = append(r.result.Written, file)
		return writeFile(file, got)
	case missing:
		v.addf("%s.%s.snapshot: there is no %s yet: write it with `leat test --update`, and read it", x.under, x.node.name, filepath.ToSlash(file))
	default:
		v.differs(x.under+"."+x.node.name+".snapshot", string(want), got)
	}
	return nil
}

func writeFile(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// snapshots are what a case compares with files, whatever becomes of its run.
func (c *Case) snapshots() (out []capture) {
	for _, x := range c.expect.captures {
		if x.isSnap {
			out = append(out, x)
		}
	}
	for _, e := range c.outcome.emitted {
		if e.isSnap {
			out = append(out, e.capture)
		}
	}
	return out
}

// snapshotNames are the files that cases refer to.
func (s *Suite) snapshotNames() map[string]bool {
	names := map[string]bool{}
	for _, c := range s.Cases {
		for _, x := range c.snapshots() {
			names[snapshotName(c, x)] = true
		}
	}
	return names
}

// checkSnapshots refuses two captures that would have one file: names may hold the dot that
// stands between them in the file's.
func (s *Suite) checkSnapshots() {
	type owner struct {
		of *Case
		capture
	}
	owners := map[string]owner{}
	for _, c := range s.Cases {
		for _, x := range c.snapshots() {
			file := snapshotName(c, x)
			first, taken := owners[file]
			if !taken {
				owners[file] = owner{c, x}
				continue
			}
			s.report.Errorf(x.node.at, "duplicate-name", "rename one of the two cases",
				"the snapshot of %s in the case %s would be the file %s, as that of %s in the case %s (line %d) is",
				x.node.name, c.Name, file, first.node.name, first.of.Name, first.node.at.Line)
		}
	}
}

// removeStale removes the snapshots that no case refers to any more.
func (r *runner) removeStale() error {
	dir, used := r.suite.snapshotDir(), r.suite.snapshotNames()
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if err == nil && filepath.Ext(e.Name()) == ".json" && !used[e.Name()] {
			r.result.Removed = append(r.result.Removed, filepath.Join(dir, e.Name()))
			err = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
	return err
}

// snapshotRow is one message in a snapshot.
type snapshotRow struct {
	Payload       json.RawMessage `json:"payload,omitempty"`
	Text          *string         `json:"text,omitempty"`
	PayloadBase64 []byte          `json:"payload_base64,omitempty"`
	Key           *string         `json:"key,omitempty"`
	Meta          runtime.Meta    `json:"meta,omitempty"`
}

// renderSnapshot writes captured messages as an indented JSON array: payloads with their keys in
// order and their numbers as they are, to be read in a review.
func renderSnapshot(records []record) string {
	rows := make([]snapshotRow, len(records))
	for i, r := range records {
		rows[i] = rowOf(r)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(rows); err != nil {
		panic(fmt.Sprintf("suite: a snapshot's rows can be written: %v", err))
	}
	return out.String()
}

func rowOf(r record) snapshotRow {
	var row snapshotRow
	switch {
	case r.message.Codec != "raw" && utf8.Valid(r.bytes) && json.Valid(r.bytes):
		row.Payload = r.bytes
	case utf8.Valid(r.bytes):
		text := string(r.bytes)
		row.Text = &text
	default:
		row.PayloadBase64 = r.bytes
	}
	if r.message.Key != nil {
		key := string(r.message.Key)
		row.Key = &key
	}
	for name, value := range r.message.Meta {
		if !strings.HasPrefix(name, runtime.MetaReserved) {
			row.Meta = row.Meta.With(name, value)
		}
	}
	return row
}
