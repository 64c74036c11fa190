package file

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/leat-run/leat/runtime"
)

// identity names a file by what survives a rename.
type identity struct {
	Device uint64 `json:"device"`
	Inode  uint64 `json:"inode"`
}

// place is how far one file was read, and how to tell that it still is that file.
type place struct {
	identity
	Path    string `json:"path"`
	Size    int64  `json:"size"`     // when it was opened
	Head    int    `json:"head"`     // length of the fingerprint's bytes
	HeadSum string `json:"head_sum"` // SHA-256 of the first Head bytes of the file, in hex
	// Tag is a checksum of the first line that was read. It is part of every message's ID,
	// so that two files of one name do not share IDs.
	Tag     uint32 `json:"tag"`
	FromEnd bool   `json:"from_end,omitempty"` // began at the end: line numbers are not the file's
	mark
}

// mark is the part of a place that moves.
type mark struct {
	Offset  int64  `json:"offset"`            // decoded bytes read
	Lines   int64  `json:"lines"`             // lines read, empty ones included
	Last    int64  `json:"last"`              // size of the last line with its ending; 0: not known
	LastSum uint32 `json:"last_sum"`          // CRC-32C of its text
	Unended bool   `json:"unended,omitempty"` // it had no ending
	Broken  bool   `json:"broken,omitempty"`  // the gzip stream ends here in an error
	Cut     bool   `json:"cut,omitempty"`     // which is that its end is missing: what follows is read once it is there
}

// stateVersion is the format of what Commit returns.
const stateVersion = 1

type state struct {
	Version int     `json:"version"`
	Files   []place `json:"files"`
}

func (s state) encode() ([]byte, error) {
	s.Version = stateVersion
	return json.Marshal(s)
}

func decodeState(b []byte) (s state, err error) {
	if len(b) == 0 {
		return state{}, nil
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return state{}, fmt.Errorf("file source: its stored state cannot be read: %w", err)
	}
	if s.Version != stateVersion {
		return state{}, fmt.Errorf("file source: its stored state has format %d, this version reads %d", s.Version, stateVersion)
	}
	for _, f := range s.Files {
		if f.Head < 0 || f.Head > headBytes || min(f.Size, f.Offset, f.Lines, f.Last) < 0 {
			return state{}, fmt.Errorf("file source: its stored state cannot be read: %s is at %+v", f.Path, f.mark)
		}
	}
	return s, nil
}

// position is the place after one emission. It is read in the run that made it only, so
// file is the number of an opened stream of that run.
type position struct {
	emission uint64 // of this run, from 1
	file     uint32
	mark
}

const (
	positionFormat = 1
	positionBytes  = 1 + 8 + 4 + 8 + 8 + 8 + 4 + 1
)

func (p position) encode() runtime.Position {
	b := make([]byte, 0, positionBytes)
	b = append(b, positionFormat)
	b = binary.BigEndian.AppendUint64(b, p.emission)
	b = binary.BigEndian.AppendUint32(b, p.file)
	b = binary.BigEndian.AppendUint64(b, uint64(p.Offset))
	b = binary.BigEndian.AppendUint64(b, uint64(p.Lines))
	b = binary.BigEndian.AppendUint64(b, uint64(p.Last))
	b = binary.BigEndian.AppendUint32(b, p.LastSum)
	return append(b, bit(p.Unended, 1)|bit(p.Broken, 2)|bit(p.Cut, 4))
}

var errPosition = errors.New("file source: a position that this source did not make")

func decodePosition(b runtime.Position) (p position, err error) {
	if len(b) != positionBytes || b[0] != positionFormat {
		return position{}, errPosition
	}
	p.emission = binary.BigEndian.Uint64(b[1:])
	p.file = binary.BigEndian.Uint32(b[9:])
	p.Offset = int64(binary.BigEndian.Uint64(b[13:]))
	p.Lines = int64(binary.BigEndian.Uint64(b[21:]))
	p.Last = int64(binary.BigEndian.Uint64(b[29:]))
	p.LastSum = binary.BigEndian.Uint32(b[37:])
	p.Unended, p.Broken, p.Cut = b[41]&1 != 0, b[41]&2 != 0, b[41]&4 != 0
	return p, nil
}

func bit(set bool, value byte) byte {
	if set {
		return value
	}
	return 0
}
