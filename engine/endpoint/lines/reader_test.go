package lines

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// all reads a stream to its end and returns the texts; over-long ones are marked with their length.
func all(t testing.TB, stream io.Reader, limit int) (lines []Line) {
	t.Helper()
	r := NewReader(stream, limit)
	for {
		line, err := r.Next()
		if errors.Is(err, io.EOF) {
			if rest, ok := r.Rest(); ok {
				lines = append(lines, own(rest))
			}
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, own(line))
	}
}

func own(l Line) Line {
	l.Text = append([]byte{}, l.Text...)
	return l
}

func line(text string, size int, ended bool) Line {
	return Line{Text: []byte(text), Length: int64(len(text)), Size: int64(size), Ended: ended}
}

// Proves how lines are cut, whatever the pieces in which they arrive.
func TestReader(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want []Line
	}{
		"empty":             {"", nil},
		"C47CRLF":           {"{\"a\":1}\r\n{\"a\":2}\r\n", []Line{line(`{"a":1}`, 9, true), line(`{"a":2}`, 9, true)}},
		"C47LoneCR":         {"a\rb\r\r\n\r", []Line{line("a\rb\r", 6, true), line("\r", 1, false)}},
		"C48EmptyLines":     {"\n\nx\n\n", []Line{line("", 1, true), line("", 1, true), line("x", 2, true), line("", 1, true)}},
		"C49Bytes":          {"\xff\xfea\n", []Line{line("\xff\xfea", 4, true)}},
		"C50NoFinalNewline": {"foo\nbar", []Line{line("foo", 4, true), line("bar", 3, false)}},
		"C51LongLine": {"12345678\nok\n123456789\r\nend\n", []Line{
			line("12345678", 9, true), line("ok", 3, true),
			{Text: []byte("12345678"), Length: 9, Size: 11, Ended: true}, line("end", 4, true)}},
		"exactly the limit": {"12345678\r\n", []Line{line("12345678", 10, true)}},
		"long at the end":   {"1234567890", []Line{{Text: []byte("12345678"), Length: 10, Size: 10}}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, stream := range []io.Reader{
				strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in)), iotest.DataErrReader(strings.NewReader(c.in)),
			} {
				if got := all(t, stream, 8); !reflect.DeepEqual(got, c.want) {
					t.Errorf("%q:\n got %+v\nwant %+v", c.in, got, c.want)
				}
			}
		})
	}
}

// Proves C51 at the sizes where readers of this kind break: past their own buffer.
func TestC51LineBeyondTheBuffer(t *testing.T) {
	for _, n := range []int{BufferBytes - 1, BufferBytes, BufferBytes + 1, 3*BufferBytes + 5} {
		in := strings.Repeat("x", n) + "\nnext\n"
		got := all(t, strings.NewReader(in), 1<<20)
		if len(got) != 2 || len(got[0].Text) != n || got[0].Long() || string(got[1].Text) != "next" {
			t.Errorf("%d bytes: %d lines", n, len(got))
		}
		got = all(t, strings.NewReader(in), n-1)
		if len(got) != 2 || !got[0].Long() || got[0].Length != int64(n) || string(got[1].Text) != "next" {
			t.Errorf("%d bytes, limit one less: %d lines", n, len(got))
		}
	}
}

// Proves that a line which is written in two pieces is one line for who follows the stream.
func TestC50LineFinishedLater(t *testing.T) {
	var stream bytes.Buffer
	r := NewReader(&stream, 100)
	stream.WriteString("foo\nba")
	if line, err := r.Next(); err != nil || string(line.Text) != "foo" {
		t.Fatal(line, err)
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) || r.Unfinished() != 2 {
		t.Fatal(err, r.Unfinished())
	}
	stream.WriteString("r\n")
	if line, err := r.Next(); err != nil || string(line.Text) != "bar" || line.Size != 4 {
		t.Fatal(line, err)
	}
}

// Proves that an over-long line keeps no more than its first bytes for the dead letter,
// says how long it was, and that a group closes by lines and by bytes.
func TestGroup(t *testing.T) {
	var g Group
	r := NewReader(strings.NewReader(strings.Repeat("y", 300_000)+"\n"), 100_000)
	long, _ := r.Next()
	g.Add(long, "", nil, 100_000, func() string { return "line 1" })
	e := g.Take()[0]
	if len(e.Payload) != LongLineBytes || e.Fault == nil || e.Fault.Measured != 300_000 || e.Fault.Limit != 100_000 {
		t.Errorf("%d bytes, %+v", len(e.Payload), e.Fault)
	}
	for range GroupLines {
		if g.Full() {
			t.Fatal("full too early")
		}
		g.Add(line("x", 2, true), "", nil, 10, nil)
	}
	if !g.Full() || len(g.Take()) != GroupLines || g.Full() {
		t.Error("not closed by lines")
	}
	g.Add(line(strings.Repeat("x", GroupBytes), GroupBytes+1, true), "", nil, GroupBytes, nil)
	if !g.Full() {
		t.Error("not closed by bytes")
	}
}

// Proves against a plain model that texts, lengths and sizes are right for any bytes, any
// limit and any cut into reads.
func FuzzReader(f *testing.F) {
	f.Add([]byte("a\r\nbb\n\nccc"), uint8(2), uint8(3))
	f.Add([]byte("\r\r\n\r"), uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, in []byte, limit, step uint8) {
		if len(in) > 1<<16 {
			return
		}
		bound := int(limit) + 1
		got := all(t, &steps{in, int(step) + 1}, bound)
		var size int64
		rest := in
		for i, line := range got {
			text, after, ended := bytes.Cut(rest, []byte("\n"))
			rest = after
			if ended {
				text = bytes.TrimSuffix(text, []byte("\r"))
			}
			if want := text[:min(len(text), bound)]; !bytes.Equal(line.Text, want) || line.Ended != ended {
				t.Fatalf("line %d: %q %v, want %q %v", i, line.Text, line.Ended, want, ended)
			}
			if line.Long() != (len(text) > bound) || line.Length < int64(len(text)) || line.Length > int64(len(text))+1 {
				t.Fatalf("line %d: length %d of %d, limit %d", i, line.Length, len(text), bound)
			}
			size += line.Size
		}
		if size != int64(len(in)) || len(rest) != 0 {
			t.Fatalf("sizes add up to %d of %d", size, len(in))
		}
	})
}

// steps is a reader that returns a few bytes at a time.
type steps struct {
	rest []byte
	step int
}

func (s *steps) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), s.step)], s.rest)
	s.rest = s.rest[n:]
	return n, nil
}
