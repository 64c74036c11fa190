package endpoint

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func stdin(stream io.Reader) *Stdin {
	return NewStdin(engine.SourceEnv{Stdin: stream, Config: pipeline.Config{"max_line": int64(16)}})
}

// Proves that standard input is read as lines to its end: BOM, endings, empty and over-long lines.
func TestStdinLines(t *testing.T) {
	s := stdin(strings.NewReader("\xEF\xBB\xBFone\r\n\n" + strings.Repeat("x", 17) + "\nlast"))
	var got []string
	err := s.Run(t.Context(), func(_ context.Context, group []engine.Emission) error {
		for _, e := range group {
			if e.Fault != nil {
				e.Payload = []byte("FAULT " + e.Fault.Message)
			}
			got = append(got, string(e.Payload))
		}
		return nil
	})
	want := []string{"one", "FAULT standard input, line 3 is 17 bytes long, max_line is 16: its first 16 bytes are kept", "last"}
	if err != nil || !reflect.DeepEqual(got, want) || s.empty != 1 {
		t.Errorf("%v\n got %q\nwant %q", err, got, want)
	}
}

// Proves that a line is emitted while the next one is not finished, and that the end of ctx ends a
// blocked read: nothing is left behind (goleak).
func TestStdinServesLineByLineAndStops(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	ctx, cancel := context.WithCancel(t.Context())
	emitted := make(chan string, 4)
	done := make(chan error, 1)
	go func() {
		done <- stdin(read).Run(ctx, func(_ context.Context, group []engine.Emission) error {
			emitted <- string(group[0].Payload)
			return nil
		})
	}()
	for _, text := range []string{"one\nha", "lf\n"} {
		if _, err := write.WriteString(text); err != nil {
			t.Fatal(err)
		}
		<-emitted
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Proves that a refusal ends the source with it, and that a stream's error is told.
func TestStdinErrors(t *testing.T) {
	refused := errors.New("refused")
	err := stdin(strings.NewReader("one\n")).Run(t.Context(), func(context.Context, []engine.Emission) error { return refused })
	if !errors.Is(err, refused) {
		t.Error(err)
	}
	failing := io.MultiReader(strings.NewReader("one\n"), &narrow{})
	err = stdin(failing).Run(t.Context(), func(context.Context, []engine.Emission) error { return nil })
	if !errors.Is(err, errNarrow) {
		t.Error(err)
	}
}

var errNarrow = errors.New("no more room")

// narrow is a stream with room for some bytes.
type narrow struct {
	bytes.Buffer
	room int
}

func (n *narrow) Write(p []byte) (int, error) {
	fits := min(len(p), n.room)
	n.room -= fits
	_, _ = n.Buffer.Write(p[:fits])
	if fits < len(p) {
		return fits, errNarrow
	}
	return fits, nil
}

func (n *narrow) Read([]byte) (int, error) { return 0, errNarrow }

// Proves that a write which stops inside a line is finished before anything else: a reader sees
// whole lines, some twice.
func TestStdoutFinishesItsLine(t *testing.T) {
	batch := []engine.Record{{Bytes: []byte("one")}, {Bytes: []byte("two")}, {Bytes: []byte("three")}}
	for room := range len("one\ntwo\nthree\n") {
		out := &narrow{room: room}
		s := NewStdout(engine.SinkEnv{Stdout: out})
		if err := s.Write(t.Context(), batch); !errors.Is(err, errNarrow) {
			t.Fatal(err)
		}
		out.room = 100
		if err := s.Write(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if line != "one\n" && line != "two\n" && line != "three\n" {
				t.Errorf("room %d: %q", room, out.String())
			}
		}
		if !strings.HasSuffix(out.String(), "one\ntwo\nthree\n") {
			t.Errorf("room %d: %q", room, out.String())
		}
	}
}

// Proves that what the catalog describes is what can be made.
func TestCatalog(t *testing.T) {
	made := Endpoints()
	for name := range Sources() {
		if made.Sources[name] == nil {
			t.Errorf("source %s has no constructor", name)
		}
	}
	for name := range Sinks() {
		if made.Sinks[name] == nil {
			t.Errorf("sink %s has no constructor", name)
		}
	}
	if len(made.Sources) != len(Sources()) || len(made.Sinks) != len(Sinks()) || made.Codecs["json"] == nil || made.Codecs["raw"] == nil {
		t.Errorf("%+v", made)
	}
	if s, err := made.Sources["file"](engine.SourceEnv{State: []byte("{")}); err == nil || s != nil {
		t.Errorf("%v, %v", s, err)
	}
}
