package control

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// One life of a run seen through its socket: status, the letters, a replay that fixes one,
// a refusal, a deletion, and a drain that ends the run. The socket is the owner's alone,
// replaces the one of a dead process, works where the directory's path is too long for
// one, and is gone afterwards.
func TestSocket(t *testing.T) {
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), strings.Repeat("long", 30))} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, socketName), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		through(t, dir)
	}
}

// Where no place is short enough for a socket, the error says which setting is at fault.
func TestNoPlaceForASocket(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	if err := os.MkdirAll(long, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", long)
	st, e := running(t)
	if _, err := Serve(long, e, st); err == nil || !strings.Contains(err.Error(), "set TMPDIR to a shorter directory") {
		t.Errorf("serve: %v", err)
	}
	if left, err := os.ReadDir(long); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func through(t *testing.T, dir string) {
	st, e := running(t)
	ended := make(chan engine.Outcome)
	go func() { ended <- e.Run(context.Background()) }()
	s, err := Serve(dir, e, st)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(s.Address()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket is %v, %v", info, err)
	}
	c, ctx := Dial(s.Address()), t.Context()
	defer c.Close()

	if status, err := c.Status(ctx); err != nil || status.Pipeline != "test" {
		t.Errorf("status %+v, %v", status, err)
	}
	var ids []string
	must(t, c.Letters(ctx, func(l store.DeadLetter) error {
		ids = append(ids, l.ID)
		if l.Node != "out" || string(l.Message.Payload) != "1" || l.Failure.Kind != runtime.KindGuest {
			t.Errorf("letter %+v", l)
		}
		return nil
	}))
	if strings.Join(ids, " ") != "a b" {
		t.Errorf("letters %v", ids)
	}
	if r, err := c.Replay(ctx, []string{"a"}, "", true); err != nil || r.Committed != 1 || r.Letters[0].After != "fixed" {
		t.Errorf("replay %+v, %v", r, err)
	}
	if r, err := c.Replay(ctx, []string{"nobody"}, "", true); err != nil || r.Skipped != 1 || r.Letters[0].ID != "nobody" {
		t.Errorf("a replay of a letter that is gone: %+v, %v", r, err)
	}
	if _, err := c.Replay(ctx, []string{"b"}, "nowhere", true); !errors.Is(err, engine.ErrUnknownNode) {
		t.Errorf("a replay at a node that is not there: %v", err)
	}
	if r, err := c.ReplayWindow(ctx, engine.Window{From: 1, To: 1}, ""); err != nil || r.Selected != 1 || r.Committed != 1 {
		t.Errorf("a window: %+v, %v", r, err)
	}
	_, err = c.ReplayWindow(ctx, engine.Window{From: 1, To: 9}, "")
	if !errors.Is(err, engine.ErrWindow) || strings.Count(err.Error(), "cannot be replayed") != 1 || !strings.Contains(err.Error(), "the checkpoint is 2") {
		t.Errorf("a window that is not there: %v", err)
	}
	if row, err := c.Row(ctx, 1); err != nil || row.Seq != 1 || !row.Inject || row.Node != "out" || string(row.Message.Payload) != "1" {
		t.Errorf("a row: %+v, %v", row, err)
	}
	for _, seq := range []runtime.Seq{0, 9} {
		if row, err := c.Row(ctx, seq); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a row that is not there: %+v, %v", row, err)
		}
	}
	must(t, c.DeleteLetters(ctx, "b"))
	must(t, c.Letters(ctx, func(l store.DeadLetter) error { t.Errorf("left over: %s", l.ID); return nil }))
	must(t, c.Drain(ctx))
	if o := <-ended; o.Status != engine.StatusInterrupted || o.Balance.Delivered != 2 {
		t.Errorf("outcome %+v", o)
	}
	must(t, s.Close())
	if _, err := os.Stat(s.Address()); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
}

// running makes a continuous pipeline without a source's work, and two letters.
func running(t *testing.T) (*store.Store, *engine.Engine) {
	t.Helper()
	st, err := store.Open("", store.Options{Ephemeral: true})
	must(t, err)
	t.Cleanup(func() { _ = st.Close() })
	for _, id := range []string{"a", "b"} {
		must(t, st.PutLetter(store.DeadLetter{
			ID: id, Node: "out", Class: store.ClassTransform, Attempts: 1,
			Failure: &runtime.Failure{Kind: runtime.KindGuest}, Message: runtime.Message{ID: id, Payload: []byte("1"), Codec: "json"},
		}))
	}
	plan := &pipeline.Plan{
		Name: "test", Mode: pipeline.ModeContinuous, Limits: pipeline.Limits{MaxInFlight: 10, MaxInFlightBytes: 1 << 20, DrainTimeout: 1e9},
		Sources: []*pipeline.Source{{Name: "in", Plugin: "idle", Decoder: "json"}},
		Sinks:   []*pipeline.Sink{{Name: "out", Plugin: "drop", Encoder: "json", BatchSize: 1}},
		Edges:   []*pipeline.Edge{{From: "in", To: "out", Required: true, BufferMax: 10}},
	}
	e, err := engine.New(engine.Options{Plan: plan, Store: st, Endpoints: engine.Endpoints{
		Sources: map[string]func(engine.SourceEnv) (engine.Source, error){"idle": func(engine.SourceEnv) (engine.Source, error) { return idle{}, nil }},
		Sinks:   map[string]func(engine.SinkEnv) (engine.Sink, error){"drop": func(engine.SinkEnv) (engine.Sink, error) { return idle{}, nil }},
		Codecs:  map[string]engine.Codec{"json": idle{}},
	}})
	must(t, err)
	return st, e
}

// idle is a source that emits nothing, a sink that drops, and a codec that trusts.
type idle struct{}

func (idle) Run(ctx context.Context, _ engine.Emit) error                     { <-ctx.Done(); return ctx.Err() }
func (idle) Commit(context.Context, runtime.Position) (state []byte, _ error) { return nil, nil }
func (idle) Write(context.Context, []engine.Record) error                     { return nil }
func (idle) Close() error                                                     { return nil }
func (idle) Decode(raw []byte) ([]byte, error)                                { return raw, nil }
func (idle) Encode(m runtime.Message) ([]byte, error)                         { return m.Payload, nil }

// Status as JSON keeps its field names: the command line and scripts read them.
func TestStatusShape(t *testing.T) {
	text, err := json.Marshal(engine.RunStatus{})
	must(t, err)
	if !strings.Contains(string(text), `"State":""`) {
		t.Errorf("status is %s", text)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
