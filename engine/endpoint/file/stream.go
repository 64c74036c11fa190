package file

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/leat-run/leat/engine/endpoint/lines"
)

// headBytes is how much of a file's beginning is its fingerprint.
const headBytes = 1 << 10

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	gzipMagic  = []byte{0x1f, 0x8b}
)

// stream is one open file being read. It belongs to the reading goroutine.
type stream struct {
	place
	number  uint32
	file    *os.File
	raw     *counted // file, counted
	gzip    bool
	lines   *lines.Reader
	limit   int
	skipped int64 // empty lines
	// partial says that reading began inside a line, whose rest is not a line.
	partial bool
	largest int64 // size that overwritten saw
}

// counted counts the bytes read from a file and ends reading when ctx ends. Its own
// error tells a fault of the disk from a fault of what the disk holds.
type counted struct {
	ctx  context.Context
	file *os.File
	read *atomic.Int64
	err  error
}

func (c *counted) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		c.err = err
		return 0, err
	}
	n, err := c.file.Read(p)
	c.read.Add(int64(n))
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}

// openStream opens a file at its beginning.
func openStream(ctx context.Context, path string, limit int, read *atomic.Int64) (*stream, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("file source: %w", err)
	}
	s := &stream{file: file, limit: limit, raw: &counted{ctx: ctx, file: file, read: read}}
	if err := s.begin(path); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("file source: %s: %w", path, err)
	}
	return s, nil
}

func (s *stream) begin(path string) error {
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("is not a regular file; a pipe can be read with the stdin source")
	}
	head := make([]byte, headBytes)
	n, err := s.file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return err
	}
	head = head[:n]
	s.place = place{Path: path, identity: identify(path, info), Size: info.Size(), Head: n, HeadSum: headSum(head)}
	s.gzip = bytes.HasPrefix(head, gzipMagic)
	s.lines = lines.NewReader(s.decoded(), s.limit)
	return nil
}

func startsAsGzip(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	magic := make([]byte, len(gzipMagic))
	_, err = io.ReadFull(file, magic)
	return err == nil && bytes.Equal(magic, gzipMagic)
}

func headSum(head []byte) string {
	sum := sha256.Sum256(head)
	return hex.EncodeToString(sum[:])
}

func (s *stream) decoded() io.Reader {
	if s.gzip {
		return &gunzip{raw: s.raw}
	}
	return s.raw
}

// misnamed says whether the extension promises another content than the magic shows (C53).
func (s *stream) misnamed() bool {
	return strings.HasSuffix(s.Path, ".gz") != s.gzip && s.Head > 0
}

func (s *stream) name() string { return filepath.Base(s.Path) }

// resume moves to where an earlier run was, if this is the content that it read. Otherwise
// the stream stays unusable and must be opened again.
func (s *stream) resume(known place) (bool, error) {
	if !s.hasHead(known.Head, known.HeadSum) {
		return false, nil
	}
	if known.Broken && known.Size != s.Size {
		if !known.Cut || s.Size < known.Size {
			return false, nil
		}
		known.Broken, known.Cut = false, false // there is more of it now
	}
	same, err := s.skip(known.mark)
	if !same || err != nil {
		return false, err
	}
	s.mark, s.Tag, s.FromEnd = known.mark, known.Tag, known.FromEnd
	s.partial = s.partial && s.FromEnd && s.Lines == 0
	return true, nil
}

func (s *stream) hasHead(length int, sum string) bool {
	head := make([]byte, length)
	_, err := s.file.ReadAt(head, 0)
	return err == nil && headSum(head) == sum
}

// skip reads up to a mark, compares the last line before it and notes whether the mark is inside a line.
func (s *stream) skip(m mark) (same bool, err error) {
	decoded := s.decoded()
	last := make([]byte, max(m.Last, min(m.Offset, 1)))
	start := m.Offset - int64(len(last))
	if s.gzip {
		_, err = io.CopyN(io.Discard, decoded, start)
	} else {
		s.raw.read.Add(start)
		_, err = s.file.Seek(start, io.SeekStart)
	}
	if err == nil {
		_, err = io.ReadFull(decoded, last)
	}
	if err != nil {
		return false, s.raw.err // the content ends before the mark, or the disk failed
	}
	s.lines = lines.NewReader(decoded, s.limit)
	s.partial = len(last) > 0 && last[len(last)-1] != '\n'
	return m.Last == 0 || lastSum(last, m.Offset == m.Last) == m.LastSum, nil
}

// lastSum is the checksum of a line's text, given with its ending.
func lastSum(line []byte, first bool) uint32 {
	if text, ended := bytes.CutSuffix(line, []byte("\n")); ended {
		line = bytes.TrimSuffix(text, []byte("\r"))
	}
	text := lines.Line{Text: line}
	if first {
		text = lines.CutBOM(text)
	}
	return crc32.Checksum(text.Text, castagnoli)
}

// toEnd begins after what the file holds now: of a gzip file after the text that can be read.
func (s *stream) toEnd() (err error) {
	end := mark{Offset: s.Size}
	if s.gzip {
		defer s.raw.read.Store(s.raw.read.Load() + s.Size) // it is read twice
		end.Offset, _ = io.Copy(io.Discard, s.decoded())
		if err = s.raw.err; err == nil {
			_, err = s.file.Seek(0, io.SeekStart)
		}
	}
	if err == nil {
		_, err = s.skip(end)
	}
	s.mark, s.FromEnd = end, end.Offset > 0
	return err
}

// next returns the next line that is a message; io.EOF at the end for now.
func (s *stream) next() (lines.Line, error) {
	for {
		line, err := s.lines.Next()
		if err != nil {
			return lines.Line{}, err
		}
		if s.passed(&line) {
			return line, nil
		}
	}
}

// rest returns the unfinished last line, if it is a message.
func (s *stream) rest() (lines.Line, bool) {
	line, ok := s.lines.Rest()
	return line, ok && s.passed(&line)
}

// passed moves the mark past a line and says whether the line is a message: not empty,
// not the rest of one that was begun before.
func (s *stream) passed(line *lines.Line) bool {
	if s.Offset == 0 {
		*line = lines.CutBOM(*line)
	}
	ending := s.Unended && line.Length == 0
	s.Offset += line.Size
	s.Unended = !line.Ended
	s.Last, s.LastSum = line.Size, crc32.Checksum(line.Text, castagnoli)
	if s.partial || ending {
		s.partial, s.Last = false, 0
		return false
	}
	if line.Long() {
		s.Last = 0
	}
	s.Lines++
	if line.Length == 0 {
		s.skipped++
	}
	return line.Length > 0
}

func (s *stream) close() error { return s.file.Close() }

// gunzip decompresses all members of a file. It begins with the first Read, so that a broken
// header is an error of reading.
type gunzip struct {
	raw *counted
	zip *gzip.Reader
}

func (g *gunzip) Read(p []byte) (n int, err error) {
	if g.zip == nil {
		if g.zip, err = gzip.NewReader(g.raw); err != nil {
			g.zip = nil
			return 0, broken(err)
		}
	}
	n, err = g.zip.Read(p)
	if err != nil && err != io.EOF {
		err = broken(err)
	}
	return n, err
}

// broken keeps an early end of a gzip stream from looking like the end of the text.
func broken(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// rewritten says that the file does not hold any more what was read of it.
func (s *stream) rewritten(size int64) bool {
	if s.gzip {
		return false
	}
	return size < s.Offset+s.lines.Unfinished() || !s.hasHead(s.Head, s.HeadSum)
}

// learnHead takes the fingerprint of a file that was short when it was opened.
func (s *stream) learnHead() {
	head := make([]byte, headBytes)
	if n, err := s.file.ReadAt(head, 0); n > s.Head && (err == nil || err == io.EOF) {
		s.Head, s.HeadSum = n, headSum(head[:n])
	}
}

// sameFile says whether a path still leads to this stream's file.
func (s *stream) sameFile(path string, info fs.FileInfo) bool {
	return identify(path, info) == s.identity
}
